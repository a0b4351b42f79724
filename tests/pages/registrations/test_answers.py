"""Answers and deviations of evidence that is made up."""

import pytest

from pages.registrations.evidence.answering import answers_of
from pages.registrations.evidence.deviations import deviations_of
from pages.registrations.evidence.records import LaunchState
from pages.registrations.evidence.tables import files_of
from tests.pages.registrations.conftest import STUDY
from tests.pages.registrations.evidence_of_study import evidence, run

A, B = "random", "pricing-constant"
EIGHT = STUDY.replace("0-5", "0-7").replace("instances: 6", "instances: 8")


def pairs(count, gain, **changes):
    """Runs of both agents on `count` instances; the second agent scores `gain(seed)` more."""
    return [
        record
        for seed in range(count)
        for record in (run(A, seed, 0.5, **changes), run(B, seed, 0.5 + gain(seed), **changes))
    ]


def test_a_clear_difference_in_the_registered_direction_is_confirmed_with_its_exact_p():
    compared, level = answers_of(evidence(EIGHT, pairs(8, lambda seed: 0.01 * (seed + 1))))
    assert (compared.verdict, compared.instances, compared.p) == ("confirmed", 8, 2 / 2**8)
    assert compared.value == pytest.approx(4.5) and "Pricing-Constant scores 4.5 points more" in compared.sentence
    assert (level.verdict, level.value, level.p) == ("estimate", 50.0, None)


def test_a_difference_in_the_other_direction_contradicts():
    (compared, _) = answers_of(evidence(EIGHT, pairs(8, lambda seed: -0.01 * (seed + 1))))
    assert compared.verdict == "contradicted" and "Contradicted" in compared.sentence


def test_holm_counts_every_registered_test_even_if_it_has_no_instances():
    text = EIGHT.replace("difficulties: [BASIC]", "difficulties: [BASIC, HARD]").replace(
        "    direction", "    tests: each\n    direction"
    )
    easy, hard, _ = answers_of(evidence(text, pairs(8, lambda seed: 0.01 * (seed + 1))))
    assert (easy.p, easy.adjusted_p) == (2 / 2**8, 4 / 2**8)
    assert (hard.p, hard.adjusted_p, hard.verdict, hard.instances) == (None, None, "not confirmed", 0)


def test_several_runs_on_an_instance_count_as_their_mean():
    runs = [*pairs(8, lambda seed: 0.1), *(run(B, seed, 0.5) for seed in range(8))]
    assert answers_of(evidence(EIGHT, runs))[0].value == pytest.approx(5)


def test_other_variants_are_no_evidence():
    runs = [*pairs(8, lambda seed: 0.01 * (seed + 1)), *pairs(8, lambda seed: -0.4, variant="other")]
    assert answers_of(evidence(EIGHT, runs))[0].value == pytest.approx(4.5)


def test_deviations_name_what_differs_and_are_empty_if_nothing_does():
    runs = pairs(8, lambda seed: 0.01 * (seed + 1))
    whole = evidence(EIGHT, runs)
    assert deviations_of(whole, answers_of(whole)) == []
    changed = evidence(
        EIGHT,
        [
            *runs[:12],
            *(run(B, seed, None, agent_changed=True, prompt_version="q", code_version="2") for seed in (6, 7)),
        ],
        launches=[LaunchState(1, 1, "2026-01-01", broken_stages="cancelled by a person")],
        others=[7],
    )
    sentences = "\n".join(deviations_of(changed, answers_of(changed)))
    for part in (
        "2 of 14 runs of launch 1 have no score", "had other prompts", "made by code 2",
        "other settings than registered: pricing-constant", "were cancelled by a person", "(number 7)",
        "has 6 of 8 registered instances",
    ):  # fmt: skip
        assert part in sentences


STAGES = STUDY.replace("seeds: 0-5", "seeds: 0-11").replace("periods: 3", "periods: 3, stages: [8, 10, 12]")
STAGES = STAGES[: STAGES.index("questions:")] + "questions: [{name: s, kind: stages, launch: 1}]"


def test_a_comparison_in_stages_is_decided_at_the_stage_at_which_its_looks_stop_it():
    (decided,) = answers_of(evidence(STAGES, pairs(12, lambda seed: 0.01 * (seed + 1))))
    assert (decided.verdict, decided.instances, decided.planned) == ("difference", 8, 12)
    (open_question,) = answers_of(evidence(STAGES, pairs(12, lambda seed: 0.1 * (-1) ** seed)))
    assert (open_question.verdict, open_question.instances) == ("no evidence", 12)


def test_stages_that_a_person_changed_have_no_verdict():
    launches = [LaunchState(1, 1, "2026-01-01", broken_stages="continued by a person without further looks")]
    (answer,) = answers_of(evidence(STAGES, pairs(12, lambda seed: 0.01 * (seed + 1)), launches=launches))
    assert answer.verdict == "no evidence" and answer.sentence.endswith("so there is no verdict.")


def test_tables_are_texts_that_depend_on_the_evidence_alone():
    runs = pairs(8, lambda seed: 0.01 * (seed + 1) + 1e-12)
    files = files_of(evidence(EIGHT, runs))
    assert files == files_of(evidence(EIGHT, [*runs]))
    assert (
        files["tables/answers.csv"]
        .splitlines()[1]
        .startswith("constant beats random,compare,pricing BASIC,random and pricing-constant,8,8,4.5,")
    )
