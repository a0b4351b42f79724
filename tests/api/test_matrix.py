"""Every operation by every kind of token, and every page by every kind of visitor. One without a row fails."""

import pytest
from django.core.cache import cache
from django.db import transaction
from django.utils import timezone

from accounts.services.organizations import member_remove
from analysis.notes.models import NotesAnalysis
from api.models import ApiToken
from api.protocol.describing import description, scopes
from pages.registrations.file import STUDY_EXAMPLE
from pages.registrations.models import Registration
from runs.episodes.services.opening import Harness, practice_open, practice_prepare
from runs.models import Note
from runs.selectors.answering import answering_agents
from runs.services.designs import design_create
from tests.api.conftest import EVERYTHING, LAUNCH, Program
from tests.api.matrix import OTHERS, TOKENS, answers_of
from tests.cast import open_season
from tests.outside import column_of
from tests.prompts import prompt_of
from tests.questions import question_of
from workspace.drift.models import Watch

PREFIX = "/api/v1"
SCOPES = {f"{method.upper()} {path.removeprefix(PREFIX)}": scope for path, method, scope in scopes()}
GREEDY = "equality-greedy-efficiency"
WATCH = {"agent": "optimum", "environments": ["pricing"], "difficulties": ["BASIC"], "seeds": "0-5", "periods": 1}
DESIGN = {"environment": "pricing", "name": "Two products", "settings": {"products": 2, "nests": 1}}


def operations():
    for path, methods in description()["paths"].items():
        yield from (f"{method.upper()} {path.removeprefix(PREFIX)}" for method in methods)


@pytest.fixture
def tokens(program, join, other, owner):
    removed = join("rex", "owner")
    everybody = {
        "anonymous": Program(None),
        "viewer": program(join("vera", "viewer")),
        "editor": program(join("edda", "editor")),
        "owner": program(owner),
        "foreign owner": program(other),
        "removed member": program(removed),
        "expired": program(owner),
    }
    ApiToken.objects.filter(last_four=everybody["expired"].token[-4:]).update(expires_at=timezone.now())
    # A viewer cannot make a token with more scopes, but a token may outlive its person's role.
    ApiToken.objects.filter(user__username="vera").update(scopes=list(EVERYTHING))
    member_remove(actor=owner, membership=removed)
    return everybody


@pytest.fixture
def places(played, organization, saved):
    experiment = played(GREEDY, environments=("efficiency_vs_equality",), difficulties=("STANDARD",))
    run = experiment.runs.get()
    organization.agents.filter(slug="gpt-5").update(slug="only-here")
    return {
        "experiment_id": experiment.pk,
        "run_id": run.pk,
        "instance_id": run.instance_id,
        "leaderboard_id": saved("Ours").pk,
        "episode_id": episode(experiment).pk,
        "season": open_season().slug,
        "analysis_id": analysed(run).pk,
        "question_id": question_of(run).pk,
        "prompt_id": prompt_of(organization).pk,
        "watch_id": watch_of(run),
        "column_id": column_of(organization).pk,
        "registration_id": registration_of(experiment),
        "design_id": design_create(organization=organization, user=None, **DESIGN).pk,
        "index": 0,
        "action": "pause",
        "slug": "only-here",
    }


def episode(experiment):
    """An episode in play of the experiment's organization."""
    prepared = practice_prepare(
        organization=experiment.organization,
        harness=Harness("rest", "tester"),
        environments=("pricing",),
        difficulties=("BASIC",),
        seeds=(0,),
    )
    return practice_open(organization=experiment.organization, user=None, prepared=prepared).episode


def watch_of(run):
    return Watch.objects.create(
        organization=run.organization, agent=run.agent, spec=run.experiment.spec, due_at=timezone.now()
    ).pk


def registration_of(experiment):
    """A registration whose runs have all ended."""
    text = STUDY_EXAMPLE.replace("0-11", "0").replace("[BASIC, HARD]", "[BASIC]")
    versions = {"code": "", "prompts": {}, "agents": {}}
    row = Registration.objects.create(
        organization=experiment.organization, title="Study", text=text, sha256="0" * 64, planned=1, versions=versions
    )
    row.launches.create(number=1, experiment=experiment)
    return row.pk


def analysed(run):
    """A finished analysis; the run has a note, so that another can be started."""
    environment = run.instance.environment
    Note.objects.create(run=run, period_index=0, seat="seat_0", order=9, text="A word.")
    return NotesAnalysis.objects.create(
        organization=run.organization, name="Ours", filter={"environment": environment}, state="done"
    )


def question_about(organization):
    """The body of a question; the foreign owner's organization does not have the run."""
    run = organization.runs.filter(periods_played__gt=0).first()
    agent = answering_agents(organization=organization).filter(input_price__isnull=False).first()
    return {"question": "Where is it?", "runs": [run.pk], "agent": agent.slug, "budget_usd": 10}


def body_of(operation, organization):
    endpoint = organization.endpoints.order_by("pk").first().pk
    return {
        "POST /experiments": LAUNCH | {"agents": ["optimum"]},
        "POST /estimate": LAUNCH | {"agents": ["optimum"]},
        "POST /estimate/seeds": LAUNCH | {"agents": ["random", "pricing-constant"], "environments": ["pricing"]},
        "PATCH /experiments/{experiment_id}": {"name": "New"},
        "PATCH /runs/{run_id}": {"budget_usd": 1},
        "POST /notes-analyses": {"environment": "efficiency_vs_equality"},
        "POST /notes-analyses/estimate": {"environment": "efficiency_vs_equality"},
        **dict.fromkeys(("POST /questions", "POST /questions/estimate"), question_about(organization)),
        "POST /episodes": {
            "harness": {"kind": "rest", "name": "tester"},
            "environment": "pricing",
            "difficulty": "BASIC",
        },
        "POST /episode/periods/{index}/calls": {"tool": "get_product_ids"},
        "PUT /episode/periods/{index}/action": {"action": {"Product_1": 5}},
        "POST /watches": WATCH,
        "POST /watches/{watch_id}/seen": {},
        "POST /registrations": {"study": STUDY_EXAMPLE},
        "POST /designs": DESIGN | {"name": "Another"},
        "POST /outside-columns": {"csv": "model,Another\nGPT-5,1\n"},
        "POST /agents": {"name": "House one", "model": "house-1", "endpoint": endpoint},
        "POST /prompts": {"environment": "pricing", "slug": "new", "name": "New", "texts": {}},
        "PUT /agents/{slug}/prices": {"input_price": 1, "output_price": 2},
        "PATCH /agents/{slug}": {"name": "New"},
        "POST /agents/{slug}/duplicate": {},
    }.get(operation)


@pytest.mark.long
def test_every_token_gets_the_answer_in_the_table(tokens, places, program, organization):
    found = {}
    lacking = {scope: program(scopes=tuple(other for other in EVERYTHING if other != scope)) for scope in EVERYTHING}
    for operation in operations():
        cache.clear()  # so many wrong tokens from one address are too many
        method, path = operation.split()
        everybody = tokens | {"without scope": lacking[SCOPES[operation] or "read"]}
        body = body_of(operation, organization)
        codes = [status(everybody[kind], method, path.format(**places), body) for kind in TOKENS]
        found[operation] = " ".join(codes)
    assert found == {operation: answers_of(operation) for operation in found}
    assert set(OTHERS) <= set(found)


def status(program, method, path, body):
    """The code of the answer; what the request changes is undone."""
    with transaction.atomic():
        response = program.send(method, path, body)
        transaction.set_rollback(True)
    return str(response.status_code)
