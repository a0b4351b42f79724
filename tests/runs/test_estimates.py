"""What a launch is estimated to take, before anything of it was played and after."""

from __future__ import annotations

import pytest

from environments.generation import CUSTOM
from environments.registry import GENERATION

pytestmark = pytest.mark.django_db

WITHIN = 0.25


def plan_of(preset, agents, **changed):
    values = preset.values
    settings = None
    if CUSTOM in values["difficulties"]:
        (environment,) = values["environments"]
        generation = GENERATION[environment]
        settings = dict(next(iter(generation.difficulties.values())))
        settings |= {
            s.name: values[key] for s in generation.settings if (key := f"custom_{environment}_{s.name}") in values
        }
    ...
