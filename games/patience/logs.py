"""Log format of patience versus impatience. A folder has one horizon. The answers are read again from the replies."""

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence

from environments.patience.environment import COUNTS, INVALID, LATER, NOW
from environments.patience.instance import HORIZONS
from environments.survey import read_letter
from games.logs.format import Asked, LoggedGame, instance_of_settings

LABELS = {setting: label for setting, label, *_ in HORIZONS}
FOLDER = re.compile(rf"__choice__({'|'.join(LABELS)})$")
_NOW = r"receiving \$100 right now"
_LATER = r"receiving \$(\d{1,6}(?:\.\d{1,2})?) ([a-z ]{1,20}) from today"
_NOW_FIRST, _LATER_FIRST = re.compile(f"A: {_NOW} or B: {_LATER}"), re.compile(f"A: {_LATER} or B: {_NOW}")


class PatienceAnswers:
    ending = "_logs.csv"
    results = "high_level_results.csv"
    claim = "preferred_100_count"
    recorded = "preferred $100"
    amounts: Mapping[str, Sequence[float]] = {setting: values for setting, *_, values in HORIZONS}

    def setting_in(self, folder_name: str) -> str:
        match = FOLDER.search(folder_name)
        return match[1] if match else ""

    def asked(self, messages: str) -> Asked | None:
        match = _NOW_FIRST.search(messages) or _LATER_FIRST.search(messages)
        setting = match[2].replace(" ", "_") if match else ""
        return Asked(setting, match[1], match.re is _LATER_FIRST) if match and setting in LABELS else None

    def game(self, settings: Collection[str], repetitions: int, model: str) -> LoggedGame:
        values = {"repetitions": repetitions} | {setting: int(setting in settings) for setting in LABELS}
        instance = instance_of_settings("patience_vs_impatience", values, 0)
        return LoggedGame(instance, "main", False, sum(len(self.amounts[setting]) for setting in settings), model)

    def action(self, setting: str, amount: float, answers: Mapping[bool, Sequence[str]]) -> dict[str, object]:
        letters = Counter((read_letter(text), flipped) for flipped, texts in answers.items() for text in texts)
        counts = dict.fromkeys(COUNTS, 0)
        for (letter, is_flipped), number in letters.items():
            counts[INVALID if letter is None else LATER if (letter == "A") == is_flipped else NOW] += number
        return {"horizon": LABELS[setting], "amount": amount} | counts
