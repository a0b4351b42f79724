"""Base classes of log formats, and functions that find our instance for a log."""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any, ClassVar, NamedTuple, Protocol

from environments.base import PERIODS, Environment, Instance, InvalidSettings
from environments.generation import CUSTOM
from environments.registry import ENVIRONMENTS, GENERATION, generate
from games.logs.cells import Cells, LogRefused


@dataclass(frozen=True)
class LoggedGame:
    """The game described by `global_params.csv`. `instance` has no reference if that is costly.

    facts: {label: text} of differences from our instance with the same seed, and of other facts
    """

    instance: Instance
    variant: str
    reasoning: bool
    periods: int
    model: str
    facts: dict[str, str] = field(default_factory=dict)
    claims: dict[str, float] = field(default_factory=dict)

    def environment(self, instance: Instance) -> Environment:
        return ENVIRONMENTS[instance.environment](
            instance, variant=self.variant, reasoning=self.reasoning, periods=self.periods
        )


@dataclass(frozen=True)
class Step:
    """A played period: the logged action, the logged results under our names, and the line in the file.

    ceiling: the price ceiling shown to the model; None if it is not in the log
    """

    action: dict[str, Any]
    recorded: dict[str, Any]
    location: str
    ceiling: float | None = None


def instance_of_settings(environment: str, settings: Mapping[str, Any], seed: int, **options: Any) -> Instance:
    """Generate an instance of the difficulty that has these settings, else of CUSTOM. `options`: as in `generate`."""
    stock = GENERATION[environment].difficulties
    difficulty = next((name for name, values in stock.items() if dict(values) == dict(settings)), CUSTOM)
    return generate(environment, difficulty, seed, settings=settings if difficulty == CUSTOM else None, **options)


def logged_instance(
    cells: Cells, environment: str, settings: Mapping[str, Any], generator: str = "published"
) -> Instance:
    """Generate the instance from the log's seed and settings. Raises LogRefused if they are invalid."""
    try:
        return instance_of_settings(
            environment, settings, cells.whole("seed"), generator=generator, with_reference=False
        )
    except InvalidSettings as error:
        raise LogRefused(cells.location(str(error))) from None


def agree(ours: Any, theirs: Any, tolerance: float = 1e-9, relative: float = 1e-9) -> bool:
    """Whether two values are equal. Numbers need only be close: logs are rounded, and sums may have another order."""
    if isinstance(ours, Mapping):
        return (
            isinstance(theirs, Mapping)
            and ours.keys() == theirs.keys()
            and all(agree(value, theirs[key], tolerance, relative) for key, value in ours.items())
        )
    if isinstance(ours, list | tuple):
        equal_length = isinstance(theirs, list | tuple) and len(ours) == len(theirs)
        return equal_length and all(agree(a, b, tolerance, relative) for a, b in zip(ours, theirs, strict=True))
    if any(isinstance(operand, bool) or not isinstance(operand, int | float) for operand in (ours, theirs)):
        return bool(ours == theirs)
    return math.isclose(ours, theirs, rel_tol=relative, abs_tol=tolerance)


def check_parameters(cells: Cells, **parameters: Any) -> None:
    """Raise LogRefused if parameters of the log differ from ours for its seed, since its instance cannot be rebuilt then."""
    for name, ours in parameters.items():
        kind = next((kind for kind in (dict, list) if isinstance(ours, kind)), float)
        if not agree(ours, cells.read(name, kind)):
            seed = cells.whole("seed")
            raise cells.refuse(f"{name} is not what seed {seed} gives, so the instance cannot be rebuilt")


def periods(cells: Cells) -> int:
    """The planned number of periods of a game with a variable length."""
    number = cells.whole("num_attempts")
    if not 1 <= number <= PERIODS:
        raise cells.refuse(f"num_attempts must be from 1 to {PERIODS}, but it is {number}")
    return number


class Format:
    """The log format of one environment.

    marks: columns of global_params.csv that identify the format
    period, action: columns of logs.csv; a row with an action closes its period, other rows are queries
    results: (column, type) by our name of a result; the column is in the row that closes a period
    evidence: the result that shows whether the log was played on the instance of its parameters
    prompts: (variant, whether the wording is for reasoning models) by prompt type of the published code
    rounds_prices: whether the row that closes a period has rounded prices of the agent
    """

    marks: ClassVar[tuple[str, ...]]
    period: ClassVar[str] = "attempt_num"
    action: ClassVar[str]
    results: ClassVar[dict[str, tuple[str, type]]]
    evidence: ClassVar[str]
    prompts: ClassVar[dict[str, tuple[str, bool]]] = {"v1": ("main", False), "v1_reasoning": ("main", True)}
    rounds_prices: ClassVar[bool] = False

    def game(self, cells: Cells, folder: PurePosixPath) -> LoggedGame:
        """Read the parameters of the game. Raises LogRefused."""
        raise NotImplementedError

    def game_on_instance(self, cells: Cells, instance: Instance, periods: int, **fields: Any) -> LoggedGame:
        """Make the game on an instance, with the prompt and the model named by the parameters."""
        prompt_type = cells.text("prompt_type")
        if prompt_type not in self.prompts:
            raise cells.refuse(f"prompt_type is {prompt_type[:40]!r}; known are {', '.join(self.prompts)}")
        return LoggedGame(instance, *self.prompts[prompt_type], periods, cells.text("model")[:200], **fields)

    def step(self, cells: Cells, game: LoggedGame, offered_prices: Mapping[str, float]) -> Step:
        """Read the row that closes a period. `offered_prices`: the prices in the agent's last call."""
        recorded = {name: cells.read(column, kind) for name, (column, kind) in self.results.items()}
        return Step(cells.literal(self.action, dict), recorded, cells.location(self.action))

    def closing(self, game: LoggedGame, steps: Sequence[Step], prompts: Mapping[str, str]) -> LoggedGame:
        """Complete the game from the played periods and the prompts."""
        return game


class Asked(NamedTuple):
    """A logged question. `is_flipped`: whether its options were swapped."""

    setting: str
    amount_text: str
    is_flipped: bool

    @property
    def amount(self) -> float:
        return float(self.amount_text)


class AnswerFormat(Protocol):
    """The log format of a survey whose questions were asked one by one.

    A folder contains one setting of the questionnaire, each file of answers one model, each row one answer.

    ending: how the names of files with answers end
    results, claim: the file with the folder's own counts, and its column of counts
    recorded: our name of such a count
    amounts: for each setting, the amounts that it asks about, in the order of the questionnaire
    """

    ending: str
    results: str
    claim: str
    recorded: str
    amounts: Mapping[str, Sequence[float]]

    def setting_in(self, folder_name: str) -> str:
        """The setting in the name of a folder; empty if there is none."""

    def asked(self, messages: str) -> Asked | None:
        """Read the question of a chat; None if it does not belong to the questionnaire."""

    def game(self, settings: Collection[str], repetitions: int, model: str) -> LoggedGame: ...

    def action(self, setting: str, amount: float, answers: Mapping[bool, Sequence[str]]) -> dict[str, object]:
        """Make the action of a period. `answers`: the replies, by whether the options were swapped."""
