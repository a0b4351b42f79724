"""Generation of instances: difficulties, custom settings with bounds, generators, and sealed instances."""

import hashlib
import hmac
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from environments.base import Instance, InvalidSettings
from environments.declarations import Setting
from environments.prompts.variants import own_title

CUSTOM = "CUSTOM"
DESIGN = f"{CUSTOM}+"
"""Prefix of the difficulty of a saved design. The slug of the design follows, as in CUSTOM+TIGHT-BUDGET."""
MOST_SLUG = 40
_DESIGN = re.compile(rf"{re.escape(DESIGN)}(?=.{{1,{MOST_SLUG}}}$)[A-Z0-9]+(-[A-Z0-9]+)*")

GENERATORS: Mapping[str, str] = {
    "published": "as in the published experiments",
    "paper_text": "as in the text of the paper",
}
"""The generators that every user may choose."""

MAX_SEED = 2**32 - 1
MAX_SEEDS = 1_000
NO_SEEDS = "Give at least one seed, such as 0-2."
RANKED = "ranked"
"""The generator of sealed instances. It draws like `published`, but from a secret key of 256 bits instead of a seed.

A seed of 32 bits could be found by trying all seeds and comparing the first numbers that an agent reads.
"""

GENERATOR_LABELS = {**GENERATORS, RANKED: "sealed until a season ended"}
"""How pages name the generator of a run."""

KEY_BYTES = 32

DRAWS = 1
"""Version of the generators. Increase it when the same settings and seed give different instances."""

Settings = dict[str, Any]


def streams(seed: int, generator: str, *purposes: str) -> tuple[np.random.RandomState, ...]:
    """Return a random stream for each purpose.

    The streams of `ranked` are independent. Each is seeded with the eight big-endian words of the HMAC-SHA-256 of its
    purpose under the key's 32 bytes. The other generators use a single stream with the seed for all purposes.
    """
    if generator != RANKED:
        return (np.random.RandomState(seed),) * len(purposes)
    key = seed.to_bytes(KEY_BYTES, "big")
    digests = [hmac.digest(key, purpose.encode(), "sha256") for purpose in purposes]
    return tuple(np.random.RandomState(np.frombuffer(digest, ">u4")) for digest in digests)


def kind_of(seed: int, generator: str, kinds: int) -> int:
    """Return the kind of an instance, from 0 to `kinds` - 1. All kinds are equally frequent.

    The kind is seed mod `kinds`; the generator `ranked` draws it.
    """
    if generator != RANKED:
        return seed % kinds
    (stream,) = streams(seed, generator, "kind")
    return int(stream.randint(kinds))


def base_of(difficulty: str) -> str:
    """Return CUSTOM for the difficulty of a saved design, and any other difficulty unchanged."""
    return CUSTOM if _DESIGN.fullmatch(difficulty) else difficulty


def is_design(difficulty: str) -> bool:
    """Whether a difficulty belongs to a saved design."""
    return difficulty != base_of(difficulty)


def difficulty_title(difficulty: str) -> str:
    """A difficulty for readers: the title of an own design, else the name itself."""
    return own_title.get()(difficulty) if is_design(difficulty) else difficulty


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
    conflicts: maps settings that do not fit together to a sentence
    reference_is_costly: whether the reference is computed by workers instead of in web requests
    reference_waits: whether previews of imported runs leave out the reference
    is_slow: whether the reference of an instance takes more than a few seconds
    can_be_sealed: False if the seed decides little or nothing; then there are no ranked instances
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
    can_be_sealed: bool = True
    measured_up_to: Mapping[str, float] = field(default_factory=dict)

    @property
    def first(self) -> Settings:
        """All settings of the first difficulty, the initial values of a custom difficulty."""
        return self.filled(next(iter(self.difficulties.values())))

    def filled(self, settings: Mapping[str, Any]) -> Settings:
        """The settings, with the default values of those left out."""
        return {setting.name: settings.get(setting.name, setting.usual) for setting in self.settings}

    def ordered(self, settings: Mapping[str, Any]) -> Settings:
        """The settings in the declared order, then those of a variant by name. Content hashes depend on the order."""
        declared = [setting.name for setting in self.settings if setting.name in settings]
        return {name: settings[name] for name in (*declared, *sorted(settings.keys() - {*declared}))}

    def checked(self, settings: Mapping[str, Any]) -> Settings:
        """Check custom settings; return them in the declared order, whole numbers as int, without default values.

        Raises InvalidSettings with a sentence for each wrong setting.
        """
        declared = {setting.name: setting for setting in self.settings}
        errors = {name: f"There is no setting called {name}." for name in settings if name not in declared}
        missing = [setting for setting in self.settings if setting.name not in settings and setting.usual is None]
        errors |= {setting.name: f"{setting.label} is missing." for setting in missing}
        problems = {name: declared[name].problem(value) for name, value in settings.items() if name in declared}
        errors |= {name: problem for name, problem in problems.items() if problem}
        if errors := errors or self.conflicts(dict(settings)):
            raise InvalidSettings(errors)
        kept_values = {name: value for name, value in self.ordered(settings).items() if value != declared[name].usual}
        return {name: int(value) if declared[name].whole else float(value) for name, value in kept_values.items()}

    def recipe(
        self, environment: str, difficulty: str, seed: int, generator: str, settings: Mapping[str, Any] | None = None
    ) -> Recipe:
        """Check the inputs of an instance. Raises InvalidSettings if they are impossible.

        `settings` are for CUSTOM and saved designs only. For the generator `ranked`, `seed` is the secret key.
        """
        errors = {}
        is_custom = base_of(difficulty) == CUSTOM
        if not is_custom and difficulty not in self.difficulties:
            errors["difficulty"] = f"There is no difficulty {difficulty}; there are {', '.join(self.difficulties)}."
        if generator == RANKED and not self.can_be_sealed:
            errors["generator"] = "There are no ranked instances of this environment, as its seeds hide nothing."
        elif generator not in (*GENERATORS, RANKED):
            errors["generator"] = f"There is no generator {generator}; there are {', '.join((*GENERATORS, RANKED))}."
        is_whole = isinstance(seed, int) and not isinstance(seed, bool)
        if generator == RANKED and not (is_whole and 0 <= seed < 2 ** (8 * KEY_BYTES)):
            errors["seed"] = "The key of a ranked instance must be a whole number from 0 to 2^256 - 1."
        elif generator != RANKED and not (is_whole and 0 <= seed <= MAX_SEED):
            errors["seed"] = f"The seed must be a whole number from 0 to {MAX_SEED}."
        if errors:
            raise InvalidSettings(errors)
        recipe_settings = self.checked(settings or {}) if is_custom else dict(self.difficulties[difficulty])
        return Recipe(environment, difficulty, seed, generator, recipe_settings)

    def drawn(self, recipe: Recipe, *, with_reference: bool = True) -> Instance:
        parameters, hidden = self.build(recipe.settings, recipe.seed, recipe.generator)
        instance = Instance(**vars(recipe), parameters=parameters, hidden=hidden)
        if with_reference or not self.reference_is_costly:
            instance = replace(instance, reference=self.reference(instance))
        return instance


@dataclass(frozen=True)
class Attempts:
    """Declared by environments whose reference needs a proof, which an attempt may fail to find.

    Until the proof is found, runs have no score, and some of their periods have no quality.

    seconds: limit of processor seconds of each attempt; the first attempt is `Generation.reference`
    is_proven: whether a reference has its proof
    solve: computes the reference of an instance within a limit of processor seconds
    """

    seconds: tuple[float, ...]
    is_proven: Callable[[Mapping[str, Any]], bool]
    solve: Callable[[Instance, float], dict[str, Any]]

    def limit_after(self, attempts: int) -> float:
        """Limit of processor seconds for the next attempt after `attempts` attempts. The last limit is used repeatedly."""
        return self.seconds[min(attempts, len(self.seconds) - 1)]


def commitment(nonce: bytes, instance: Instance) -> str:
    """SHA-256 of a secret nonce, the key and the content of a ranked instance, as 64 hexadecimal digits.

    The hash is published before the game. Nonce (32 random bytes), key and instance are published afterwards, so that
    anybody can check that they were fixed before. The hash is over the bytes of the nonce, the 32 big-endian bytes of the
    key, and the instance as ASCII JSON without `reference` and spaces, with sorted keys. The command
    `bin/econevals instance ENV DIFFICULTY --generator ranked --seed KEY` draws the instance again. Another processor may
    round the last digit of a number differently, so hash the published instance and compare it with the drawn one.
    """
    content = {name: value for name, value in instance.as_json().items() if name != "reference"}
    text = json.dumps(content, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(nonce + instance.seed.to_bytes(KEY_BYTES, "big") + text.encode()).hexdigest()


def parse_seeds(text: str) -> tuple[int, ...]:
    """Parse seeds: '0-2, 7' gives (0, 1, 2, 7). The result is sorted, without duplicates.

    Raises InvalidSettings for the setting `seeds`.
    """
    seeds: set[int] = set()
    for part in filter(None, re.split(r"[,\s]+", text.strip())):
        match = re.fullmatch(r"(\d{1,10})(?:[-–](\d{1,10}))?", part)
        if not match:
            raise InvalidSettings({"seeds": f"{part[:30]!r} is not a seed or a range of seeds such as 0-11."})
        first = int(match.group(1))
        last = int(match.group(2) or first)
        if last < first:
            raise InvalidSettings({"seeds": f"The range {part} runs backwards; write {last}-{first}."})
        if last > MAX_SEED:
            raise InvalidSettings({"seeds": f"Seeds go up to {MAX_SEED}."})
        if last - first >= MAX_SEEDS or len(seeds) + last - first >= MAX_SEEDS:
            raise InvalidSettings({"seeds": f"At most {MAX_SEEDS:,} seeds fit in one experiment."})
        seeds.update(range(first, last + 1))
    if not seeds:
        raise InvalidSettings({"seeds": NO_SEEDS})
    return tuple(sorted(seeds))
