"""Fills an organization with months of use: many members, leaderboards, links, comments, webhooks, tokens and calls."""

import random
from collections import Counter
from dataclasses import dataclass
from datetime import date, timedelta

from django.utils import timezone

from accounts.models import Membership, Organization, Role, User
from accounts.services.people import invitation_create
from analysis.answers.trends import TrendFilter
from analysis.base.benchmark_filters import TableFilter
from analysis.base.litmus_filters import LitmusFilter
from analysis.base.table import LeaderboardKind
from analysis.models import Leaderboard
from analysis.saved.services import leaderboard_create, leaderboard_pin
from api.models import Scope
from api.services import personal_token_create, service_token_create
from runs.launching.presets import BENCHMARKS
from runs.models import Agent, Exchange, Experiment, MonthlySpend, Run, RunState
from sharing.services import Lasts, share_link_create
from tests.cast import launched, play_all
from workspace.discussion.services.comments import comment_create, star_set
from workspace.discussion.services.tags import tag_add
from workspace.discussion.subjects import Subject
from workspace.webhooks.models import Delivery, Event, EventKind
from workspace.webhooks.services import webhook_create

MEMBERS, INVITATIONS, COMMENTS, LINKS, DELIVERIES, CALLS_A_RUN = 40, 20, 60, 60, 400, 20
DELIVERED = {"state": "delivered", "status": 204}
FAILED = {"state": "failed", "status": 500, "answer": "Internal error", "problem": "It answered 500."}
LITMUS_BASELINES = {
    "efficiency_vs_equality": ("equality-greedy-efficiency", "equality-greedy-equality"),
    "patience_vs_impatience": ("patience-rate",),
    "collusiveness_vs_competitiveness": ("collusion-nash", "collusion-best-response"),
}
TAGS = ("baseline", "camera-ready", "check again", "prompt v2", "temperature 0", "rate-limited", "odd notes", "Q4")
DESCRIPTION = "What we show to partners. Ask before changing its filters."
REMARKS = (
    "From period 40 on it repeats the same plan, see its notes.",
    "The notes say **budget 700**, the plan uses 412. Is that the tool text?",
    "Compare with the hill climber, which finds this after 30 periods.",
    "@{name} can you look at the reasoning here?",
    "Solved, and it *knows* why:\n\n1. it saw the tariff\n2. it tried one worker less",
)


@dataclass(frozen=True)
class Furnished:
    """What `furnish` made.

    small, large: experiments with one run of each benchmark, and with 1,512; runs: those of the small one, by environment
    tokens: of links to a leaderboard, a litmus leaderboard, the large experiment and a run; bearer: a personal API token
    """

    small: Experiment
    runs: dict[str, Run]
    large: Experiment
    leaderboards: list[Leaderboard]
    tokens: list[str]
    webhook: int
    bearer: str


def furnish(owner: Membership) -> Furnished:
    """Fill the organization of an owner. It takes a minute."""
    small, runs = play_small(owner.organization)
    play_litmus(owner.organization)
    large = paint_large(owner.organization, owner.user)
    add_people(owner)
    discussed = runs["pricing"]
    add_discussion(owner, discussed, list(large.runs.select_related("experiment")[:200]))
    leaderboards = add_leaderboards(owner)
    tokens = add_links(owner, [leaderboards[0], leaderboards[4], large, discussed])
    return Furnished(small, runs, large, leaderboards, tokens, *add_programs(owner))


def play_small(organization: Organization) -> tuple[Experiment, dict[str, Run]]:
    """Play one HARD run of each benchmark to its end. Returns the experiment, and the runs by environment."""
    agent = Agent.objects.get(organization=organization, slug="random")
    experiment = launched(
        organization, [agent], name="Small", environments=BENCHMARKS, difficulties=("HARD",), periods=None
    )
    play_all(experiment)
    return experiment, {run.instance.environment: run for run in experiment.runs.select_related("instance", "agent")}


def play_litmus(organization: Organization) -> None:
    game = {"difficulties": ("STANDARD",), "seeds": (0, 1, 2), "periods": None}
    for name, slugs in LITMUS_BASELINES.items():
        agents = Agent.objects.filter(organization=organization, slug__in=slugs)
        play_all(launched(organization, agents, name=f"Litmus: {name}", environments=(name,), **game))


def paint_large(organization: Organization, user: User) -> Experiment:
    """Add many runs with made-up states, scores and calls of the last two months. Pages read only these rows."""
    agents = Agent.objects.filter(organization=organization, baseline="")[:14]
    experiment = launched(
        organization,
        agents,
        name="Large",
        environments=BENCHMARKS,
        difficulties=("BASIC", "MEDIUM", "HARD"),
        seeds=tuple(range(12)),
        periods=None,
    )
    rng, now = random.Random(0), timezone.now()
    runs, calls = list(experiment.runs.all()), []
    for run in runs:
        run.state = rng.choice([RunState.FINISHED] * 8 + [RunState.RUNNING, RunState.QUEUED, RunState.PAUSED])
        is_finished = run.state == RunState.FINISHED
        run.periods_played, run.score = (100, rng.random()) if is_finished else (rng.randrange(100), None)
        run.started_at = now - timedelta(days=rng.random() * 60)
        run.progressed_at = run.ended_at = run.started_at + timedelta(hours=rng.random() * 6)
        own_calls = [painted_call(run, period, rng) for period in range(CALLS_A_RUN)]
        run.queries, run.cost_nano = CALLS_A_RUN, sum(call.cost_nano for call in own_calls)
        calls += own_calls
    Run.objects.bulk_update(
        runs,
        ["state", "periods_played", "score", "started_at", "ended_at", "progressed_at", "queries", "cost_nano"],
    )
    Exchange.objects.bulk_create(calls, batch_size=2000)
    book_months(organization, user, calls)
    experiment.refresh_from_db()
    return experiment


def painted_call(run: Run, period: int, rng: random.Random) -> Exchange:
    """A call that has ended, without its reply."""
    return Exchange(
        run=run,
        agent_id=run.agent_id,
        period_index=period,
        seat="seat_0",
        attempt=0,
        step=0,
        fence=1,
        created_at=run.started_at + (run.ended_at - run.started_at) * (period / CALLS_A_RUN),
        input_tokens=rng.randrange(9000),
        output_tokens=rng.randrange(900),
        cost_nano=rng.randrange(10**8),
        state=rng.choice(["replied"] * 30 + ["unknown", "failed"]),
    )


def book_months(organization: Organization, user: User, calls: list[Exchange]) -> None:
    """Add the monthly spend of the organization and of the user, which the engine would record with each call."""
    months: Counter[date] = Counter()
    for call in calls:
        months[call.created_at.date().replace(day=1)] += call.cost_nano
    MonthlySpend.objects.bulk_create(
        MonthlySpend(organization=organization, user=payer, month=month, cost_nano=cost)
        for month, cost in months.items()
        for payer in (None, user)
    )


def add_people(owner: Membership) -> None:
    people = User.objects.bulk_create(
        User(username=f"member{n}", email=f"member{n}@example.org", first_name=f"Member {n}") for n in range(MEMBERS)
    )
    Membership.objects.bulk_create(
        Membership(organization=owner.organization, user=person, role=list(Role)[n % 3])
        for n, person in enumerate(people)
    )
    for n in range(INVITATIONS):
        invitation_create(actor=owner, email=f"invited{n}@example.org", role=Role.VIEWER)


def add_discussion(owner: Membership, run: Run, others: list[Run]) -> None:
    """Add comments to a run and its periods, and tags and stars to all runs."""
    authors = [m.user for m in Membership.objects.filter(organization=owner.organization).select_related("user")[:9]]
    for n in range(COMMENTS):
        comment_create(
            subject=Subject(run) if n % 3 else Subject(run, n),
            author=authors[n % len(authors)],
            text=REMARKS[n % len(REMARKS)].format(name=owner.user.username),
        )
    for n, other in enumerate([run, *others]):
        tag_add(subject=Subject(other), name=TAGS[n % len(TAGS)], user=owner.user)
        star_set(subject=Subject(other) if n % 2 else Subject(other, n % 50), user=owner.user, starred=True)
    for name in TAGS:
        tag_add(subject=Subject(run.experiment), name=name, user=owner.user)


def add_leaderboards(owner: Membership) -> list[Leaderboard]:
    """Save six leaderboards and another answer, and pin four of the leaderboards."""
    filters = {
        "All benchmarks": (LeaderboardKind.BENCHMARK, TableFilter()),
        "Pricing, camera-ready": (LeaderboardKind.BENCHMARK, TableFilter(environments=("pricing",))),
        "Hard only": (LeaderboardKind.BENCHMARK, TableFilter(difficulties=("HARD",))),
        "Own agents": (LeaderboardKind.BENCHMARK, TableFilter(rows=("own", "baseline"))),
        "Litmus tests of this quarter": (LeaderboardKind.LITMUS, LitmusFilter()),
        "Litmus tests without published rows": (LeaderboardKind.LITMUS, LitmusFilter(rows=("own", "baseline"))),
        "Progress of models": ("trends", TrendFilter()),
    }
    about = {"organization": owner.organization, "user": owner.user, "description": DESCRIPTION}
    made = [
        leaderboard_create(kind=kind, name=name, filters=run_filter, **about)
        for name, (kind, run_filter) in filters.items()
    ]
    for leaderboard in (*made[:3], made[4]):
        leaderboard_pin(leaderboard=leaderboard, pinned=True)
    return made


def add_links(owner: Membership, targets: list[Leaderboard | Experiment | Run]) -> list[str]:
    """Share each target by a link, and the first target by many more links. Returns the tokens of the first kind."""
    made = [share_link_create(actor=owner, target=target, lasts=Lasts.MONTH, with_notes=True) for target in targets]
    for n in range(LINKS):
        share_link_create(actor=owner, target=targets[0], lasts=Lasts.WEEK, label=f"Partner {n}")
    return [token for _, token in made]


def add_programs(owner: Membership) -> tuple[int, str]:
    """Add API tokens, and webhooks with deliveries. Returns the id of the first webhook and the text of a personal token."""
    until = timezone.now() + timedelta(days=90)
    for n in range(8):
        _, text = personal_token_create(actor=owner, name=f"Notebook {n}", scopes=[Scope.READ], expires_at=until)
        service_token_create(
            actor=owner, name=f"Nightly {n}", role=Role.EDITOR, scopes=[Scope.READ, Scope.LAUNCH], expires_at=until
        )
    hooks = [
        webhook_create(actor=owner, url=f"https://hooks{n}.example.org/econevals", events=["run.finished"])[0]
        for n in range(3)
    ]
    events = Event.objects.bulk_create(
        Event(organization=owner.organization, kind=EventKind.RUN_FINISHED, body="{}") for _ in range(DELIVERIES)
    )
    rng, now = random.Random(0), timezone.now()
    for n, event in enumerate(reversed(events)):
        at = now - timedelta(minutes=n)
        Delivery.objects.create(
            webhook=hooks[0],
            event=event,
            attempts=1,
            attempted_at=at,
            created_at=at,
            seconds=rng.random(),
            **(DELIVERED if n % 9 else FAILED),
        )
    return hooks[0].pk, text
