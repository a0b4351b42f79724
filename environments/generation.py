"""Generation of instances: difficulties, custom settings with bounds, and generators."""

import hashlib
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from environments.base import Instance, InvalidSettings

CUSTOM = "CUSTOM"
DESIGN = f"{CUSTOM}+"
"""How the difficulty of a saved design begins; its slug follows, as in CUSTOM+TIGHT-BUDGET."""
MOST_SLUG = 40
_DESIGN = re.compile(rf"{re.escape(DESIGN)}(?=.{{1,{MOST_SLUG}}}$)[A-Z0-9]+(-[A-Z0-9]+)*")

GENERATORS: Mapping[str, str] = {
    "published": "as in the published experiments",
    "paper_text": "as in the text of the paper",
}
MAX_SEED = 2**32 - 1

DRAWS = 1
"""Version of the generators. Raise it when the same settings and seed give other instances."""

Settings = dict[str, Any]


def base_of(difficulty: str) -> str:
    """CUSTOM for the difficulty of a saved design, whose settings come with it; every other difficulty itself."""
    return CUSTOM if _DESIGN.fullmatch(difficulty) else difficulty


def is_design(difficulty: str) -> bool:
    """Whether the difficulty is that of a saved design."""
    return difficulty != base_of(difficulty)


@dataclass(frozen=True)
class Setting:
    """One number of a difficulty with its bounds; `whole` means integer.

    usual: the value of a setting that may be left out, as every published difficulty does; None if it must be given
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
        """'1 to 1,000,000'"""
        return f"{self.low:,.12g} to {self.high:,.12g}"

    def problem(self, value: object) -> str:
        """One sentence that says what is wrong with a value; empty if nothing is."""
        broken = self.whole and isinstance(value, float) and not value.is_integer()
        if isinstance(value, bool) or not isinstance(value, int | float) or broken:
            return f"{self.label} must be a {'whole number' if self.whole else 'number'}."
        if not self.low <= value <= self.high:
            return f"{self.label} must be between {self.span.replace(' to ', ' and ')}."
        return ""


@dataclass(frozen=True)
class Recipe:
    """All inputs of a generator. The same recipe gives the same instance. `settings` are complete and checked."""

    environment: str
    difficulty: str
    seed: int
    generator: str
    settings: Settings

    @property
    def hash(self) -> str:
        content = [DRAWS, self.environment, self.difficulty, self.seed, self.generator, self.settings]
        return hashlib.sha256(json.dumps(content, separators=(",", ":"), sort_keys=True).encode()).hexdigest()


@dataclass(frozen=True)
class Generation:
    """What an environment declares about its instances.

    build: draws parameters and hidden values from settings, seed and generator
    reference: computes what scoring needs
    conflicts: names settings that do not fit together, each with a sentence
    reference_is_costly: workers compute the reference instead of web requests
    reference_waits: previews of imported runs do without the reference
    is_slow: whether the reference of an instance takes more than a few seconds
    measured_up_to: the largest settings with which baselines are played to measure a difficulty
    """

    difficulties: Mapping[str, Mapping[str, Any]]
    settings: tuple[Setting, ...]
    build: Callable[[Settings, int, str], tuple[dict[str, Any], dict[str, Any]]]
    reference: Callable[[Instance], dict[str, Any]]
    conflicts: Callable[[Settings], dict[str, str]] = lambda settings: {}
    reference_is_costly: bool = False
    reference_waits: bool = False
    is_slow: Callable[[Instance], bool] = lambda instance: False
    measured_up_to: Mapping[str, float] = field(default_factory=dict)

    @property
    def first(self) -> Settings:
        """All settings of the first difficulty, from which a custom one starts."""
        return self.filled(next(iter(self.difficulties.values())))

    def filled(self, settings: Mapping[str, Any]) -> Settings:
        """The settings with the usual values of those left out."""
        return {setting.name: settings.get(setting.name, setting.usual) for setting in self.settings}

    def ordered(self, settings: Mapping[str, Any]) -> Settings:
        """The settings in the declared order, on which content hashes depend."""
        return {setting.name: settings[setting.name] for setting in self.settings if setting.name in settings}

    def checked(self, settings: Mapping[str, Any]) -> Settings:
        """Custom settings with whole numbers as int, in the declared order, without those at their usual values.

        Raises InvalidSettings with a sentence for each wrong setting.
        """
        known = {setting.name: setting for setting in self.settings}
        errors = {name: f"There is no setting called {name}." for name in settings if name not in known}
        missing = [setting for setting in self.settings if setting.name not in settings and setting.usual is None]
        errors |= {setting.name: f"{setting.label} is missing." for setting in missing}
        problems = {name: known[name].problem(value) for name, value in settings.items() if name in known}
        errors |= {name: problem for name, problem in problems.items() if problem}
        if errors := errors or self.conflicts(dict(settings)):
            raise InvalidSettings(errors)
        chosen = {name: value for name, value in self.ordered(settings).items() if value != known[name].usual}
        return {name: int(value) if known[name].whole else float(value) for name, value in chosen.items()}

    def instance(
        self,
        environment: str,
        difficulty: str,
        seed: int,
        generator: str = "published",
        *,
        settings: Mapping[str, Any] | None = None,
        with_reference: bool = True,
    ) -> Instance:
        """Generate an instance. `settings` goes with the difficulty CUSTOM and those of saved designs.

        Raises InvalidSettings for anything that cannot be generated.
        """
        errors = {}
        is_custom = base_of(difficulty) == CUSTOM
        if not is_custom and difficulty not in self.difficulties:
            errors["difficulty"] = f"There is no difficulty {difficulty}; there are {', '.join(self.difficulties)}."
        if generator not in GENERATORS:
            errors["generator"] = f"There is no generator {generator}; there are {', '.join(GENERATORS)}."
        if isinstance(seed, bool) or not isinstance(seed, int) or not 0 <= seed <= MAX_SEED:
            errors["seed"] = f"The seed must be a whole number from 0 to {MAX_SEED}."
        if errors:
            raise InvalidSettings(errors)
        chosen = self.checked(settings or {}) if is_custom else dict(self.difficulties[difficulty])
        return self.drawn(Recipe(environment, difficulty, seed, generator, chosen), with_reference=with_reference)

    def drawn(self, recipe: Recipe, *, with_reference: bool = True) -> Instance:
        parameters, hidden = self.build(recipe.settings, recipe.seed, recipe.generator)
        instance = Instance(**vars(recipe), parameters=parameters, hidden=hidden)
        if with_reference or not self.reference_is_costly:
            instance = replace(instance, reference=self.reference(instance))
        return instance
