"""Measures the type I error of each statistical test and the coverage of each interval.

    python -m benchmarks type_one_error [--topic TOPIC] [--experiments 2000]

A topic is a file of `benchmarks/errors/`; without one, all are measured, which takes about a quarter of an hour. In a null
experiment two agents are equal, so the paired differences are symmetric about zero. With "skewed scores" the scores of
both agents are skewed. Seeds are fixed, so the figures are reproducible.
"""

from importlib import import_module
from pkgutil import iter_modules

from benchmarks import errors

TOPICS = sorted(module.name for module in iter_modules(errors.__path__) if module.name != "draws")


def main(*, topic: str = "", experiments: int = 2_000) -> None:
    for name in [topic] if topic else TOPICS:
        for measure in vars(import_module(f"benchmarks.errors.{name}")).values():
            if getattr(measure, "is_measurement", False):
                measure(experiments)
