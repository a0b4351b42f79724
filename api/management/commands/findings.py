from argparse import ArgumentParser
from typing import Any

from accounts.models import Organization
from api.management import filters
from api.schemas.leaderboards.findings import FindingsOut, RunFindingsOut
from environments.registry import ENVIRONMENTS
from infrastructure.commands import QuickCommand
from runs.findings.selectors import agent_table, run_report
from runs.findings.services import findings_compute
from runs.management.launches import add_json_argument, fail, print_json
from runs.models import Run


class Command(QuickCommand):
    help = "Print the findings of a finished run, or for each agent the number of its runs with each finding."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("run", type=int, nargs="?", help="a run; without it, findings are counted by agent")
        parser.add_argument("--environment", choices=list(ENVIRONMENTS), metavar="ENV", help="count only its runs")
        parser.add_argument("--organization", metavar="SLUG", help="default: the first of the site")
        add_json_argument(parser, "print the JSON of the REST API")

    def handle(self, *, run: int | None, json: bool, organization: str | None, **options: Any) -> None:
        if run is None:
            self._by_agent(filters.owner_from(organization), options["environment"] or "", json)
        elif organization or options["environment"]:
            fail("Name a run, or an environment and organization to count in.")
        else:
            self._of_run(run, json)

    def _of_run(self, number: int, json: bool) -> None:
        run = Run.objects.filter(pk=number).select_related("instance", "agent", "rival").first()
        if run is None:
            fail(f"There is no run {number}.")
        report = run_report(run)
        if report.state == "pending":
            # Without a worker, as after launch --wait, no other process computes the findings.
            findings_compute(run=run)
            report = run_report(run)
        if json:
            print_json(RunFindingsOut.model_validate(RunFindingsOut.values(run, report)).model_dump(mode="json"))
            return
        lines = [f"{finding.title}: {finding.sentence}" for finding in report.findings_and_changes]
        empty = {
            "unfinished": f"Run {number} has not finished. Only finished runs have findings.",
            "failed": f"The findings of run {number} could not be computed: {report.error}",
            "pending": f"A worker computes the findings of run {number} now. Try again.",
        }
        self.stdout.write("\n".join(lines) or empty.get(report.state, f"No rule found anything in run {number}."))

    def _by_agent(self, organization: Organization, environment: str, json: bool) -> None:
        table = agent_table(organization=organization, environment=environment)
        if json:
            print_json(FindingsOut.values(table))
            return
        lines: list[str] = []
        for agent in table.agents:
            lines.append(f"{agent.name}, finished runs: {agent.runs}")
            lines += [
                f"  {share.rule.title}: {share.percent} %, {share.runs} of {share.of}"
                for share in agent.shares
                if share.runs
            ]
        self.stdout.write("\n".join(lines) or "No findings are computed yet.")
