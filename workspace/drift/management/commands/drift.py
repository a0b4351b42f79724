from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from infrastructure.text.formats import number, p_text
from runs.management.launches import add_json_argument, default_organization, fail, print_json
from workspace.drift.models import Watch
from workspace.drift.selectors import next_round, round_rows, watch_detail_json, watch_json, watches_of


class Command(BaseCommand):
    help = "List the watches for drift, or print the rounds and notices of one watch."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("watch", type=int, nargs="?", help="number of a watch; all are listed without one")
        add_json_argument(parser)

    def handle(self, *, watch: int | None, json: bool, **options: Any) -> None:
        watches = watches_of(organization=default_organization())
        if watch is None:
            self._list(list(watches), json)
        else:
            watch_row = watches.select_related("organization", "agent__endpoint").filter(pk=watch).first()
            self._print(watch_row or fail(f"There is no watch {watch} here."), json)

    def _list(self, watches: list[Watch], json: bool) -> None:
        if json:
            print_json([watch_json(watch) for watch in watches])
        else:
            lines = [
                f"{watch.pk}: {watch.agent.name}, {watch.get_interval_display().lower()}, {watch.state}"
                for watch in watches
            ]
            self.stdout.write("\n".join(lines) or "No agent is watched. Its page offers “Watch for drift…”.")

    def _print(self, watch: Watch, json: bool) -> None:
        if json:
            print_json(watch_detail_json(watch))
            return
        for row in round_rows(watch):
            about = "baseline" if row.round.in_baseline else f"{number(row.round.difference, 1)}, {p_text(row.round.p)}"
            answers = "; ".join(row.answers)
            self.stdout.write(f"round {row.round.number}: {number(row.score, 1)} points ({about}) {answers}".rstrip())
        for sentence in (*watch.notices.filter(seen_at=None).values_list("sentence", flat=True), next_round(watch)):
            self.stdout.write(sentence)
