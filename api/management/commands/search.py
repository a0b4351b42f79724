from argparse import ArgumentParser
from typing import Any

from analysis.notes.models import EntryKind
from analysis.notes.search.selectors import SearchFilter, index_state, search
from api.management import filters
from api.schemas.notes import HitOut
from environments.registry import ENVIRONMENTS
from infrastructure.commands import QuickCommand
from infrastructure.paging import LONG_PAGE
from runs.management.launches import add_json_argument, fail, print_json


class Command(QuickCommand):
    help = "Find words in notes and transcripts. It prints 100 hits, the newest first; --page selects later ones."

    def add_arguments(self, parser: ArgumentParser) -> None:
        add = parser.add_argument
        add(
            "words",
            nargs="+",
            metavar="WORD",
            help="each must occur; an argument of several words must occur as a phrase",
        )
        add("--run", type=int, metavar="ID", help="search only this run")
        add("--agent", metavar="SLUG", help="search only texts of this agent")
        add("--environment", choices=list(ENVIRONMENTS), metavar="ENV")
        add("--kind", choices=EntryKind.values)
        add("--page", type=int, default=1)
        add("--organization", metavar="SLUG", help="slug of the organization; default: the site's first")
        add_json_argument(parser)

    def handle(self, *, words: list[str], organization: str | None, json: bool, **options: Any) -> None:
        owner = filters.owner_from(organization)
        author = owner.agents.filter(slug=options["agent"]).first() if options["agent"] else None
        if options["agent"] and author is None:
            fail(f"There is no agent {options['agent']}.")
        search_filter = SearchFilter(
            " ".join(f'"{word}"' if " " in word else word for word in words),
            options["run"],
            author.pk if author else None,
            options["environment"] or "",
            options["kind"] or "",
        )
        results = search(organization=owner, search_filter=search_filter, page=options["page"], size=LONG_PAGE)
        if results is None:
            fail("Type a word; letters and digits count, punctuation does not.")
        hits = results.page.object_list
        if json:
            print_json({"hits": [HitOut.values(hit) for hit in hits], "sentence": results.sentence})
            return
        for hit in hits:
            text = " ".join(hit.text.split())
            self.stdout.write(f"run {hit.run.pk}, period {hit.period}, {hit.kind} of {hit.agent}: {text}")
        self.stdout.write(" ".join(filter(None, (results.sentence, index_state(organization=owner)))))
