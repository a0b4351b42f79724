"""The log format of a survey whose questions were asked one by one."""

from collections.abc import Collection, Mapping, Sequence
from typing import ClassVar, NamedTuple

from games.logs.format import LoggedGame


class Asked(NamedTuple):
    """A logged question. is_flipped: whether its options were swapped"""

    setting: str
    amount_text: str
    is_flipped: bool

    @property
    def amount(self) -> float:
        return float(self.amount_text)


class AnswerFormat:
    """A folder holds one setting of the questionnaire, each of its files of answers one model, a row one answer.

    ending: of the names of files of answers
    results, claim: the file with the folder's own counts, and its column of counts
    recorded: our name of such a count
    amounts: the amounts that each setting asks, in the order of the questionnaire
    """

    ending: ClassVar[str]
    results: ClassVar[str]
    claim: ClassVar[str]
    recorded: ClassVar[str]
    amounts: ClassVar[Mapping[str, Sequence[float]]]

    def setting_in(self, folder_name: str) -> str:
        """The setting that the name of a folder says; empty if it says none."""
        raise NotImplementedError

    def asked(self, messages: str) -> Asked | None:
        """The question of a chat; None if it is not one of the questionnaire."""
        raise NotImplementedError

    def wrong_question(self, setting: str) -> str:
        """The sentence about a row of another question."""
        raise NotImplementedError

    def game(self, settings: Collection[str], repetitions: int, model: str) -> LoggedGame:
        raise NotImplementedError

    def action(self, setting: str, amount: float, answers: Mapping[bool, Sequence[str]]) -> dict[str, object]:
        """The action of a period. answers: the replies by whether the options were swapped"""
        raise NotImplementedError
