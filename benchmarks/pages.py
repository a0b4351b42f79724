"""Measures server time, number of queries and size of every page, with a small and a large experiment.

python -m benchmarks pages
"""

from django.test import Client

from benchmarks.furnished import (
    add_discussion,
    add_leaderboards,
    add_links,
    add_people,
    add_programs,
    paint_large,
    play_litmus,
    play_small,
)
from benchmarks.own_site import client_of, first_owner, print_costs, program_of, settle


def main() -> None:
    owner = first_owner()
    small, runs_by_environment = play_small(owner.organization, owner.user)
    play_litmus(owner.organization, owner.user)
    large = paint_large(owner.organization, owner.user)
    add_people(owner)
    discussed = runs_by_environment["pricing"]
    add_discussion(owner, discussed, list(large.runs.select_related("experiment")[:200]))
    leaderboards = add_leaderboards(owner)
    tokens = add_links(owner, [leaderboards[0], leaderboards[4], large, discussed])
    webhook, bearer = add_programs(owner)
    settle()
    pages = ["/", "/news/", "/experiments/", "/experiments/new/", "/agents/", "/leaderboard/", "/litmus/"]
    pages += [f"/experiments/{small.pk}/", f"/experiments/{large.pk}/", f"/experiments/{large.pk}/live/"]
    for run in runs_by_environment.values():
        path = f"/runs/{run.pk}/"
        pages += [path, f"{path}periods/63/", f"{path}periods/63/?tab=transcript", f"{path}figure.json"]
    pages += ["/ledger/", f"/experiments/{large.pk}/ledger/", "/spend/", "/spend/figure.json"]
    pages += [
        "/leaderboards/",
        "/leaderboards/pinned/",
        *(f"/leaderboards/{leaderboard.pk}/" for leaderboard in leaderboards),
    ]
    pages += ["/share/", f"/share/leaderboard/{leaderboards[0].pk}/"]
    pages += ["/starred/", "/mentions/", "/tags/", "/exports/", "/experiments/import/"]
    pages += ["/organization/", "/organization/audit/", "/organization/tokens/", "/account/", "/account/tokens/"]
    pages += ["/organization/webhooks/", f"/organization/webhooks/{webhook}/"]
    api = ["experiments", f"experiments/{large.pk}", f"runs?experiment={large.pk}&limit=200", "leaderboards", "agents"]
    number = large.runs.count()
    print(f"experiment {small.pk} has {len(runs_by_environment)} runs, experiment {large.pk} has {number}; 60 comments")
    print(f"are on run {discussed.pk}; members 41, links 64, deliveries 400, calls {number * 20:,}")
    print_costs(client_of(owner), pages)
    print_costs(Client(), [f"/s/{token}/" for token in tokens], with_head=False)
    print_costs(program_of(bearer), [f"/api/v1/{path}" for path in api], with_head=False)
