"""The hidden number: uniform on 1 to `highest`."""

from typing import Any

import numpy as np

from environments.declarations import Setting
from environments.generation import Generation, Settings


def _build(settings: Settings, seed: int, generator: str) -> tuple[dict[str, Any], dict[str, Any]]:
    number = int(np.random.default_rng(seed).integers(1, settings["highest"], endpoint=True))
    return {"highest": settings["highest"]}, {"number": number}


GENERATION = Generation(
    difficulties={"BASIC": {"highest": 100}, "MEDIUM": {"highest": 10_000}, "HARD": {"highest": 1_000_000}},
    settings=(Setting("highest", "Highest number", 2, 1_000_000_000),),
    build=_build,
    reference=lambda instance: {},
)
