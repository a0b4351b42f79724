"""Classes with which an environment declares its variants, scores and settings for pages, forms and tables."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

DASH = "–"


@dataclass(frozen=True)
class ScoreFormat:
    """How scores are written. A score is a share of 1; pages show it multiplied by `factor`.

    label: name of the score
    note: the scale of the score in a few words
    factor, digits, unit: for example "5.7 %" has factor 100, one digit and the unit " %"
    short_digits: digits in the small cells of a matrix, where shares are written without the leading zero
    top: the score with the strongest colour
    """

    label: str
    note: str = ""
    factor: int = 1
    digits: int = 2
    unit: str = ""
    short_digits: int = 2
    top: float = 1.0

    def text(self, value: float | None) -> str:
        return DASH if value is None else f"{_fixed(value * self.factor, self.digits)}{self.unit}"

    def short(self, value: float) -> str:
        if self.factor != 1:
            return _fixed(value * self.factor, self.short_digits)
        return _fixed(value, self.short_digits).removeprefix("0") if value < 0.995 else "1"

    def heat(self, value: float | None) -> str:
        """CSS class that colours the number: heat-0 to heat-10."""
        return "" if value is None else f"heat-{min(10, max(0, int(10 * value / self.top + 0.5)))}"


def _fixed(value: float, digits: int) -> str:
    return f"{value:.{digits}f}".replace("-", "−")


POINTS = ScoreFormat("Score", factor=100, digits=1, short_digits=0)
COMPETENCY = ScoreFormat("Competency", "1 is faultless")


@dataclass(frozen=True)
class Score:
    """A run's score as a share (1 is optimal). An unknown score is None, and `note` gives the reason."""

    value: float | None
    solved: bool | None = None
    note: str = ""


@dataclass(frozen=True)
class LowestScore:
    """What a run that ended without a score is supposed to have scored at worst, see `analysis.benchmark.cells`.

    floor: the score where no run of the instance has one
    is_best_so_far: whether a score is the best quality of all periods, so that a run cannot fall below what it had reached
    """

    floor: float = 0.0
    is_best_so_far: bool = False


@dataclass(frozen=True)
class Variant:
    """A version of the prompts, or of the world of a run.

    description: one line for forms
    label: a few words for tables, by default "<name> prompt"
    score: how scores under this variant are written
    is_competency: whether the variant measures the competency of a litmus test
    is_pass_or_fail: whether every score is 0 or 1, so that pages count the runs that passed
    first_seeds: number of seeds on which the papers run this variant; None for all seeds
    settings: settings of the instances beside those of the difficulty. Such a variant is ours and not the papers', and
        has instances of its own
    fewest_periods: the shortest run that the variant makes sense for
    """

    description: str
    label: str = ""
    score: ScoreFormat = POINTS
    is_competency: bool = False
    is_pass_or_fail: bool = False
    first_seeds: int | None = None
    settings: Mapping[str, Any] = field(default_factory=dict, hash=False)
    fewest_periods: int = 1


@dataclass(frozen=True)
class LitmusTest:
    """Declared by environments that measure a tendency. Environments without it are benchmarks.

    section: section of the paper; tables list the tests in this order
    scale: what the ends of the score mean, in a few words
    ends: what the lowest and the highest score mean, in a word each
    column: heading of the score in the litmus table
    reliability_metric: name of the metric that is a run's reliability; empty if reliability is 1
        minus the standard deviation of the scores of several runs
    reliability_note: one sentence about how reliability is measured
    """

    section: str
    scale: str
    ends: tuple[str, str] = ("0", "1")
    column: str = "Litmus"
    reliability_metric: str = ""
    reliability_note: str = "1 − the standard deviation of the runs' litmus scores."


@dataclass(frozen=True)
class Setting:
    """One number of a difficulty with its bounds; `whole` means integer.

    usual: the default of an optional setting, which all published difficulties use; None for a required setting
    """

    name: str
    label: str
    low: float
    high: float
    whole: bool = True
    help: str = ""
    usual: float | None = None

    @property
    def span(self) -> str:
        """The bounds as text, such as '1 to 1,000,000'."""
        return f"{self.low:,.12g} to {self.high:,.12g}"

    def problem(self, value: object) -> str:
        """One sentence that says what is wrong with a value; empty if it is valid."""
        broken = self.whole and isinstance(value, float) and not value.is_integer()
        if isinstance(value, bool) or not isinstance(value, int | float) or broken:
            return f"{self.label} must be a {'whole number' if self.whole else 'number'}."
        if not self.low <= value <= self.high:
            return f"{self.label} must be between {self.span.replace(' to ', ' and ')}."
        return ""
