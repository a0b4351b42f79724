"""The base of log formats, and how a log is matched with one of our instances."""

import math
from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Any, ClassVar

from environments.base import PERIODS, Instance, InvalidSettings
from environments.generation import CUSTOM
from environments.registry import GENERATION, generate
from workspace.transfer.reading.logs import Log, LoggedGame, Step
from workspace.transfer.reading.sources import LogRefused
from workspace.transfer.reading.tables import Cells


def instance_of_settings(environment: str, settings: Mapping[str, Any], seed: int, **options: Any) -> Instance:
    """The instance of these settings, which may be those of a difficulty. options: as of `generate`"""
    stock = GENERATION[environment].difficulties
    difficulty = next((name for name, values in stock.items() if dict(values) == dict(settings)), CUSTOM)
    return generate(environment, difficulty, seed, settings=settings if difficulty == CUSTOM else None, **options)


def logged_instance(
    cells: Cells, environment: str, settings: Mapping[str, Any], generator: str = "published"
) -> Instance:
    """The instance of the log's seed and settings. Raises LogRefused if there is none."""
    try:
        return instance_of_settings(
            environment, settings, cells.whole("seed"), generator=generator, with_reference=False
        )
    except InvalidSettings as error:
        raise LogRefused(cells.location(str(error))) from None


def agree(ours: Any, theirs: Any, tolerance: float = 1e-9, relative: float = 1e-9) -> bool:
    """Whether two values are equal. Numbers have tolerances, since sums may have another order and logs round."""
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
    """Refuse a log whose parameters differ from those of its seed: its instance is unknown."""
    for name, ours in parameters.items():
        kind = next((kind for kind in (dict, list) if isinstance(ours, kind)), float)
        if not agree(ours, cells.read(name, kind)):
            seed = cells.whole("seed")
            raise cells.refuse(f"{name} is not what seed {seed} gives, so the instance cannot be rebuilt")


def periods(cells: Cells) -> int:
    """The planned periods of a game whose length may be chosen."""
    number = cells.whole("num_attempts")
    if not 1 <= number <= PERIODS:
        raise cells.refuse(f"num_attempts must be from 1 to {PERIODS}, but it is {number}")
    return number


class Format:
    """The log format of one environment.

    marks: columns of global_params.csv that identify it
    period, action: columns of logs.csv; a row with an action closes its period, other rows are queries
    results: our name of each result in the row that closes a period, with its column and its type
    evidence: the result that shows whether the log was played on the instance of its parameters
    prompts: variant and wording for reasoning models by the prompt type of the published code
    rounds_prices: whether the row that closes a period rounds the agent's prices
    """

    marks: ClassVar[tuple[str, ...]]
    period: ClassVar[str] = "attempt_num"
    action: ClassVar[str]
    results: ClassVar[dict[str, tuple[str, type]]]
    evidence: ClassVar[str]
    prompts: ClassVar[dict[str, tuple[str, bool]]] = {"v1": ("main", False), "v1_reasoning": ("main", True)}
    rounds_prices: ClassVar[bool] = False

    def game(self, cells: Cells, folder: PurePosixPath) -> LoggedGame:
        """Reads the parameters. Raises LogRefused."""
        raise NotImplementedError

    def game_on_instance(self, cells: Cells, instance: Instance, periods: int, **fields: Any) -> LoggedGame:
        """The game on an instance, with the prompt and the model that the parameters name."""
        prompt_type = cells.text("prompt_type")
        if prompt_type not in self.prompts:
            raise cells.refuse(f"prompt_type is {prompt_type[:40]!r}; known are {', '.join(self.prompts)}")
        return LoggedGame(instance, *self.prompts[prompt_type], periods, cells.text("model")[:200], **fields)

    def step(self, cells: Cells, game: LoggedGame, offered_prices: Mapping[str, float]) -> Step:
        """Reads the row that closes a period. offered_prices: the prices that the agent's last call named"""
        recorded = {name: cells.read(column, kind) for name, (column, kind) in self.results.items()}
        return Step(cells.literal(self.action, dict), recorded, cells.location(self.action))

    def closing(self, log: Log) -> LoggedGame:
        """The game, completed from the played periods and the prompts."""
        return log.game
