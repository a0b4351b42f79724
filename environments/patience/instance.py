"""The questionnaire: horizons, amounts and repetitions (paper, section 5.1.1). All seeds give the same questions."""

from typing import Any

from environments.declarations import Setting
from environments.generation import Generation, Settings

HORIZONS = (
    ("one_month", "1 month", 1 / 12, [round(100 + 0.1 * i, 1) for i in range(1, 51)]),
    ("six_months", "6 months", 1 / 2, [round(100 + 0.5 * i, 1) for i in range(1, 31)]),
    ("one_year", "1 year", 1.0, list(range(101, 121))),
    ("five_years", "5 years", 5.0, list(range(111, 251))),
)
"""Setting, label, years and amounts in dollars of each horizon."""


def _build(settings: Settings, seed: int, generator: str) -> tuple[dict[str, Any], dict[str, Any]]:
    return {
        "horizons": [
            {
                "label": label,
                "years": years,
                "amounts": list(amounts),
                # The published prompts write the number as a word.
                "time_span": setting.replace("_", " ") if generator == "published" else label,
            }
            for setting, label, years, amounts in HORIZONS
            if settings[setting]
        ],
        "repetitions": settings["repetitions"],
    }, {}


GENERATION = Generation(
    difficulties={"STANDARD": {"repetitions": 20} | {setting: 1 for setting, *_ in HORIZONS}},
    settings=(
        Setting("repetitions", "Repetitions", 1, 100, help="questions per amount; every second one is flipped"),
        *(
            Setting(setting, f"Horizon of {label}", 0, 1, help=f"1 asks its {len(amounts)} amounts, 0 leaves them out")
            for setting, label, _, amounts in HORIZONS
        ),
    ),
    build=_build,
    reference=lambda instance: {},
    measured_up_to={"repetitions": 40},
    conflicts=lambda settings: (
        {} if any(settings[name] for name, *_ in HORIZONS) else {HORIZONS[0][0]: "At least one horizon must be asked."}
    ),
    can_be_sealed=False,
)
