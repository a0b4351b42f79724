"""Measures server time, number of queries and size of every page, with a small and a large experiment.

python -m benchmarks pages
"""

from django.test import Client

from analysis.answers import ANSWERS
from benchmarks import furnished
from benchmarks.own_site import client_of, first_owner, print_costs, program_of, settle


def pages_of_answers() -> list[str]:
    """The address of the page of each answer, with two agents where agents must be named."""
    return [
        f"/{answer.address}{'?agents=random&agents=optimum' if answer.filter_class.OF_NAMED_AGENTS else ''}"
        for answer in ANSWERS.values()
        if answer.template
    ]


def main() -> None:
    owner = first_owner()
    site = furnished.furnish(owner)
    small, large, leaderboards, discussed = site.small, site.large, site.leaderboards, site.runs["pricing"]
    settle()
    runs = [f"/runs/{run.pk}/" for run in site.runs.values()]
    pages = [
        "/", "/news/", "/experiments/", "/experiments/new/", "/agents/", *pages_of_answers(),
        f"/experiments/{small.pk}/", f"/experiments/{large.pk}/", f"/experiments/{large.pk}/live/",
        *(f"{run}{page}" for run in runs for page in ("", "periods/63/", "periods/63/?tab=transcript", "figure.json")),
        "/ledger/", f"/experiments/{large.pk}/ledger/", "/spend/", "/spend/figure.json",
        "/leaderboards/", "/leaderboards/pinned/", *(f"/leaderboards/{leaderboard.pk}/" for leaderboard in leaderboards),
        "/share/", f"/share/leaderboard/{leaderboards[0].pk}/",
        "/findings/", "/outside-columns/", "/registrations/",
        "/starred/", "/mentions/", "/tags/", "/exports/", "/experiments/import/",
        "/organization/", "/organization/audit/", "/organization/tokens/", "/account/", "/account/tokens/",
        "/organization/webhooks/", f"/organization/webhooks/{site.webhook}/",
    ]  # fmt: skip
    api = ["experiments", f"experiments/{large.pk}", f"runs?experiment={large.pk}&limit=200", "leaderboards", "agents"]
    number = large.runs.count()
    print(
        f"experiment {small.pk} has {len(site.runs)} runs, experiment {large.pk} has {number}; 60 comments\n"
        f"are on run {discussed.pk}; members 41, links 64, deliveries 400, calls {number * 20:,}"
    )
    print_costs(client_of(owner), pages)
    print_costs(Client(), [f"/s/{token}/" for token in site.tokens], with_head=False)
    print_costs(program_of(site.bearer), [f"/api/v1/{path}" for path in api], with_head=False)
