"""The number of queries of a page does not grow with its content."""

import pytest

from runs.findings.services import findings_compute
from tests.prompts import prompt_of
from tests.queries import PARTIAL, SIGNED_IN, queries_of


@pytest.mark.long
def test_query_counts_of_pages_do_not_grow_with_their_content(page, painted):
    small = painted("random", "pricing-constant", seeds=(0, 1))
    environments = ("procurement", "scheduling", "pricing")
    large = painted("random", "optimum", "gpt-5", environments=environments, seeds=tuple(range(10)))
    findings_compute(run=large.runs.filter(state="finished")[0])
    own = [f"/experiments/{experiment.pk}/" for experiment in (small, large)]
    expected = {
        **dict.fromkeys(own, SIGNED_IN + 11),
        f"{own[1]}live/": PARTIAL + 5,
        "/experiments/": SIGNED_IN + 5,
        # The visit is noted, runs that wait have reasons, and watches have notices.
        "/": SIGNED_IN + 12,
        "/agents/": SIGNED_IN + 4,
        "/agents/?find=gpt": SIGNED_IN + 4,
        "/agents/baselines/": SIGNED_IN + 1,
        "/agents/endpoints/": SIGNED_IN + 2,
        "/agents/outside/": SIGNED_IN + 1,
        "/runs/": SIGNED_IN + 5,
        "/deleted/": SIGNED_IN + 4,
        "/findings/": SIGNED_IN + 6,
        "/instances/": SIGNED_IN + 3,
        "/instances/?text=pricing&sort=-best": SIGNED_IN + 4,
        f"/instances/{large.runs.first().instance_id}/": SIGNED_IN + 6,
        "/instances/designs/": SIGNED_IN + 1,
        "/instances/preview/": SIGNED_IN + 1,
    }
    assert {address: queries_of(page, address) for address in expected} == expected
    assert queries_of(page, "/agents/endpoints/", **{"HX-Request": "true"}) == PARTIAL + 2
    for address, most in ((f"{own[0]}ledger/", 6), (f"{own[1]}ledger/", 6), ("/ledger/", 5), ("/spend/", 11)):
        assert queries_of(page, address) <= SIGNED_IN + most
    assert queries_of(page, "/experiments/new/") <= SIGNED_IN + 10


@pytest.mark.long
def test_query_counts_of_prompt_pages_do_not_grow_with_the_prompts(page, organization):
    first = prompt_of(organization)
    addresses = (
        "/prompts/",
        f"/prompts/{first.pk}/",
        "/prompts/new/?environment=pricing&base=main",
        "/experiments/new/",
    )
    few = {address: queries_of(page, address) for address in addresses}
    for number in range(30):
        prompt_of(organization, slug=f"try-{number}")
    assert {address: queries_of(page, address) for address in addresses} == few
    assert list(few.values())[:3] == [SIGNED_IN + 2, SIGNED_IN + 2, SIGNED_IN]


@pytest.mark.long
def test_query_counts_of_study_pages_do_not_grow_with_the_participants(page, owner):
    from pages.play.models import Participant
    from pages.play.services.games import game_open
    from pages.play.services.participants import participant_begin, participant_consent, participants_create
    from pages.play.services.studies import study_create
    from runs.episodes.models import Episode
    from tests.cast import open_season

    game = {"environment": "pricing", "difficulty": "BASIC"}
    study = study_create(actor=owner, name="Pilot", title="A study", consent="Yes.", seeds="0", practice=0, **game)

    def join(count):
        for participant, _ in participants_create(actor=owner, study=study, count=count, labels=[]):
            participant_consent(participant=participant, label="")
            participant_begin(participant=participant)

    def play():
        game_open(organization=owner.organization, user=owner.user, name="me", seed=0, **game)

    join(1), play()
    season = open_season()
    addresses = (
        "/play/",
        "/studies/",
        f"/studies/{study.pk}/",
        f"/studies/{study.pk}/?find=1",
        "/studies/new/",
        "/seasons/",
    )
    addresses += (f"/seasons/{season.slug}/", f"/studies/{study.pk}/participants.csv")
    few = {address: queries_of(page, address) for address in addresses}
    join(8), play()
    Participant.objects.bulk_create(
        Participant(study=study, number=number, secret_hash=str(number), label=f"label {number}")
        for number in range(100, 500)
    )
    for number in range(20):
        study_create(actor=owner, name=f"Study {number}", title="A study", consent="Yes.", seeds="0", **game)
        open_season(f"Season {number}")
    assert {address: queries_of(page, address) for address in addresses} == few
    assert list(few.values()) == [
        SIGNED_IN + 5,
        SIGNED_IN + 1,
        SIGNED_IN + 8,
        SIGNED_IN + 8,
        SIGNED_IN + 3,
        SIGNED_IN + 1,
        SIGNED_IN + 3,
        5,
    ]
    assert Episode.objects.count() == 11


@pytest.mark.sampled
@pytest.mark.parametrize("periods", [3, 12])
def test_the_query_count_of_the_run_page_does_not_grow_with_the_run(page, played, periods):
    run = played("random", periods=periods).runs.get()
    findings_compute(run=run)
    page.get(f"/runs/{run.pk}/")  # The first visit is stored once.
    assert queries_of(page, f"/runs/{run.pk}/") == SIGNED_IN + 12
    assert queries_of(page, f"/runs/{run.pk}/periods/1/", **{"HX-Request": "true"}) == PARTIAL + 11
