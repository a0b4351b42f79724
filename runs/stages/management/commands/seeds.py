from argparse import ArgumentParser
from typing import Any

from runs.management.launches import PlainCommand, add_launch_arguments, fail, of_planned
from runs.stages.planning import comparison_plan


class Command(PlainCommand):
    help = "Print how many seeds, at what price, detect a difference of --points. Takes the arguments of `launch`."

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_launch_arguments(parser)

    def handle(self, **options: Any) -> None:
        comparison = of_planned(options, comparison_plan)
        if comparison is None:
            fail("Name two agents that both play all the environments, benchmarks only, and one prompt variant.")
        stages = f"Stages: {comparison.stages}" if comparison.stages else ""
        text = "\n".join(filter(None, (comparison.answer, comparison.basis, comparison.advice, stages)))
        self.report(vars(comparison), text or "Say which difference to find with --points.", as_json=options["json"])
