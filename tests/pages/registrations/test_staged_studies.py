"""A registered comparison in stages, played by the engine that stops it."""

from pages.registrations.archive.writing import archive
from pages.registrations.evidence.answering import answers_of
from pages.registrations.evidence.deviations import deviations_of
from pages.registrations.selectors import evidence_of, states_of
from runs.stages.models import StageLook
from runs.stages.services import looks_take
from tests.pages.registrations.conftest import STUDY, differing, play

LAUNCH = "{environments: [pricing], difficulties: [BASIC], seeds: 0-11, agents: [random, optimum], periods: 1, %s}"
STAGED = f"{STUDY[: STUDY.index('launches:')]}launches:\n  - {LAUNCH % 'stages: [8, 12]'}\n"
STAGED += "questions:\n  - {name: staged, kind: stages, launch: 1, direction: second-higher}\n"


def test_the_answer_is_the_last_look_of_the_engine_and_runs_not_needed_are_no_deviation(register, tmp_path):
    registration = register(STAGED)
    play(registration)
    assert states_of([registration])[0].state == "playing"
    looks_take()
    look, evidence = StageLook.objects.get(), evidence_of(registration)
    (answer,) = answers_of(evidence)
    assert (answer.instances, answer.value, answer.p, answer.boundary) == (
        look.n,
        look.difference,
        look.p,
        look.boundary,
    )
    assert (answer.verdict, answer.planned, answer.instances) == ("confirmed", 12, 8)
    assert deviations_of(evidence, [answer]) == [] and sum(run.not_played for run in evidence.runs) == 8
    path = tmp_path / "study.zip"
    path.write_bytes(b"".join(archive(registration)))
    assert differing(path) == []
