import time
from argparse import ArgumentParser
from typing import Any

from django.core.exceptions import ValidationError

from analysis.notes.study.pages import names_of
from analysis.notes.study.selectors import StudyFilter, scope_of
from analysis.notes.study.services import analysis_start
from analysis.notes.study.work import ANALYSES
from api.management import filters
from api.schemas.notes import AnalysisWithResult
from environments.registry import ENVIRONMENTS
from infrastructure.claims import JobState
from infrastructure.commands import QuickCommand
from infrastructure.declared import add_option
from runs.management.launches import add_json_argument, fail, print_json
from runs.watching import worker_is_up

LOOK_SECONDS = 1.0


class Command(QuickCommand):
    help = "Cluster the paragraphs of notes by agent, with vectors computed here. Exit code 1 if the analysis fails."

    def add_arguments(self, parser: ArgumentParser) -> None:
        add = parser.add_argument
        add("environment", choices=list(ENVIRONMENTS), metavar="ENV", help=", ".join(ENVIRONMENTS))
        for name, info in StudyFilter.model_fields.items():
            if name != "environment":
                add_option(parser, filters.option(name), name, info)
        add("--name", default="")
        add("--organization", metavar="SLUG", help="default: the first of the site")
        add_json_argument(parser)

    def handle(self, *, organization: str | None, json: bool, **options: Any) -> None:
        owner = filters.owner_from(organization)
        study_filter = filters.filter_from(owner, StudyFilter, options)
        if not json:
            self.stdout.write(scope_of(organization=owner, study_filter=study_filter).sentence)
        try:
            analysis = analysis_start(organization=owner, user=None, study_filter=study_filter, name=options["name"])
        except ValidationError as error:
            fail(error.messages[0])
        while analysis.is_working:
            # If there is no worker, this process computes the analysis.
            if worker_is_up() or not ANALYSES.work_next():
                time.sleep(LOOK_SECONDS)
            analysis.refresh_from_db()
        if json:
            print_json(AnalysisWithResult.values(analysis) | {"created_at": analysis.created_at.isoformat()})
        elif analysis.result_left is not None:
            self._print(analysis.result_left)
        else:
            self.stdout.write(analysis.problem or "The analysis was cancelled.")
        if analysis.state != JobState.DONE:
            raise SystemExit(1)

    def _print(self, result: dict[str, Any]) -> None:
        names = names_of(result)
        self.stdout.write("\n".join(result["sentences"]))
        for cluster in result["clusters"]:
            percent = f"{100 * cluster['dominance']:.0f} %"
            self.stdout.write(f"{names[cluster['dominant']]} {percent} of {cluster['size']}: {cluster['label']}")
