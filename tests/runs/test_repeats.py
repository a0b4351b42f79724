"""Several runs of an agent on one instance: launched, told apart, and counted as one instance."""

import json
import zlib
from statistics import fmean, stdev

import numpy as np
import pytest
from django.core.management import call_command

from agents.baselines.registry import BASELINES
from environments.base import SINGLE_SEAT
from environments.registry import ENVIRONMENTS, generate
from pages.dashboard.selectors.experiment_tables import matrix
from pages.dashboard.selectors.score_tables import score_table
from runs.estimating.estimates import estimate
from runs.launching.again import spec_as_plan
from runs.launching.plan import LaunchError
from runs.launching.request import read_launch, request_as_plan, written_launch
from runs.models import Experiment
from runs.selectors.cells import run_cells, run_groups
from runs.selectors.repeats import scored_runs
from runs.stages.planning import comparison_plan, stage_runs
from runs.stages.selectors import differences_of, measured_scores


def test_a_plan_has_each_run_as_often_as_its_repeats(plan, organization):
    planned = plan("random", "pricing-constant", seeds=(3, 5), repeats="3")
    assert [(run.seed, run.repeat) for run in planned.runs[:6]] == [(3, 0), (5, 0), (3, 1), (5, 1), (3, 2), (5, 2)]
    sizes = estimate(planned, organization)
    assert (len(planned.runs), planned.cells, sizes.runs, sizes.skipped) == (12, 1, 12, 0)
    with pytest.raises(LaunchError) as error:
        plan("random", seeds=tuple(range(600)), repeats=20)
    assert error.value.errors == {"seeds": "That would be 12,000 runs; one experiment holds at most 10,000."}


@pytest.mark.parametrize("repeats", [0, 21, "two"])
def test_a_wrong_number_of_repeats_gets_a_plain_sentence(plan, repeats):
    with pytest.raises(LaunchError) as error:
        plan("random", repeats=repeats)
    assert error.value.errors == {"repeats": "The runs on each instance are 1 to 20."}


def test_commands_and_files_repeat_a_launch_with_its_repeats(organization):
    words = "launch --environment pricing --difficulty BASIC --seeds 0-1 --agent random --repeats 2"
    call_command(*words.split())
    experiment = Experiment.objects.get()
    runs = list(experiment.runs.order_by("id").values_list("instance__seed", "repeat"))
    assert runs == [(0, 0), (1, 0), (0, 1), (1, 1)]
    file = written_launch(experiment.spec)
    assert "repeats: 2\n" in file
    assert request_as_plan(read_launch(file.encode()), organization).as_spec() == experiment.spec
    # A launch that was stored before there were repeats.
    stored = {name: value for name, value in experiment.spec.items() if name != "repeats"}
    assert spec_as_plan(stored, organization).repeats == 1


def test_repeats_of_a_baseline_have_random_numbers_of_their_own_and_the_first_has_the_usual_ones():
    def numbers(repeat):
        baseline = BASELINES["random"](generate("pricing", "BASIC", 4, with_reference=False), ENVIRONMENTS["pricing"])
        baseline.repeat = repeat
        return baseline.rng(7).random(3).tolist()

    before = np.random.default_rng([4, 7, zlib.crc32(f"random {SINGLE_SEAT}".encode())])
    assert numbers(0) == before.random(3).tolist()
    assert len({tuple(numbers(repeat)) for repeat in range(20)}) == 20 and numbers(5) == numbers(5)


def test_an_experiment_shows_every_run_and_its_mean_counts_instances(played):
    experiment = played("random", "pricing-constant", seeds=(0, 1), repeats=2)
    (block,) = matrix(run_cells(experiment))
    assert [column.seed for column in block.columns] == [0, 0, 1, 1]
    cells = {row.agent: row.cells for row in block.rows}
    assert len({cell.run_id for cell in cells["Random"]}) == 4
    assert [", run 2" in cell.label for cell in cells["Random"]] == [False, True, False, True]
    scores = [
        [run.score for run in experiment.runs.filter(agent__slug="random", instance__seed=seed)] for seed in (0, 1)
    ]
    assert scores[0][0] != scores[0][1]
    cell = next(row.cells[0] for row in score_table(run_groups(experiment)).rows if row.agent == "Random")
    assert (cell.n, cell.total) == (4, 4) and cell.mean == pytest.approx(fmean(map(fmean, scores)))
    assert cell.error == pytest.approx(stdev(map(fmean, scores)) / 2**0.5)


def test_a_stage_has_all_runs_on_its_seeds_and_pairs_their_means(launch, plan):
    options = {"seeds": tuple(range(6)), "stages": (2, 6), "repeats": 2}
    assert list(stage_runs(plan("random", "pricing-constant", **options))) == [8, 24]
    experiment = launch("random", "pricing-constant", **options)
    assert set(experiment.runs.filter(state="queued").values_list("instance__seed", "repeat")) == {
        (seed, repeat) for seed in (0, 1) for repeat in (0, 1)
    }
    comparison = experiment.staged
    for run in experiment.runs.filter(instance__seed__lt=2).select_related("instance"):
        score = 0.1 * run.instance.seed + (0.3 + 0.2 * run.repeat if run.agent_id == comparison.second_id else 0.1)
        experiment.runs.filter(pk=run.pk).update(state="finished", score=score)
    assert differences_of(comparison) == [pytest.approx([30.0, 30.0])]


def test_a_plan_of_seeds_says_what_repeats_would_take(played, plan, organization):
    def answers(repeats):
        options = {"seeds": tuple(range(4)), "periods": 4, "points": 20.0, "repeats": repeats}
        planned = plan("random", "pricing-constant", **options)
        return comparison_plan(planned, organization), measured_scores(organization=organization, plan=planned)

    played("random", "pricing-constant", seeds=tuple(range(4)))
    result, scores = answers(3)
    assert "repeats are counted as if they changed nothing" in result.basis
    assert scores["pricing", "BASIC"].run is None and scores["pricing", "BASIC"].left == 2
    # The copies of the first launch add no runs of a baseline.
    experiment = played("random", "pricing-constant", seeds=tuple(range(4)), repeats=2)
    (runs,) = scored_runs(experiment.runs.all()).values()
    assert len(runs.scores) == 16
    (once, scores), (thrice, _) = answers(1), answers(3)
    assert scores["pricing", "BASIC"].run > 0 and scores["pricing", "BASIC"].left == 1
    assert "More seeds or more runs? 1 on each: " in once.basis
    assert thrice.needed <= once.needed and "seeds with 3 runs on each instance" in thrice.answer
    assert "computed for these repeats" in thrice.basis and "95 % interval" not in thrice.basis


def test_the_command_plans_seeds_with_repeats(played, capsys):
    played("random", "pricing-constant", seeds=tuple(range(3)), repeats=2)
    words = "--environment pricing --difficulty BASIC --seeds 0-3 --periods 4 --agent random pricing-constant"
    call_command("seeds", *words.split(), "--points", "20", "--repeats", "2", "--json")
    answer = json.loads(capsys.readouterr().out)
    assert "with 2 runs on each instance" in answer["answer"] and "3 on each" in answer["basis"]
