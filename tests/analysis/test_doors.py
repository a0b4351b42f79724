"""Pages, the API, commands and reports give the same ten figures."""

import json

import numpy as np
import pytest
from django.core.management import call_command

from environments.registry import generate
from infrastructure.text.formats import probability
from tests.api.conftest import owning, program  # noqa: F401
from tests.pages.reports.reading import text_of, words

AGENTS = "agents=a&agents=b"
EQUALITY = "efficiency_vs_equality"


@pytest.fixture
def command(capsys):
    def answer(*arguments):
        call_command(*arguments, "--json")
        return json.loads(capsys.readouterr().out)

    return answer


@pytest.fixture
def answers(page, owning, run_row, command):  # noqa: F811
    """What each door says of twelve instances of two agents."""
    rng = np.random.default_rng(3)
    for seed, (first, second) in enumerate(rng.beta(3, 2, (12, 2))):
        run_row("a", first, seed=seed)
        run_row("b", min(1.0, second + 0.1), seed=seed)

    (compared,) = owning.get(f"/compare?{AGENTS}").json()["comparisons"]
    leaderboard = owning.get("/leaderboards/benchmark").json()
    return {
        "compare": compared,
        "command": command("compare", "--a", "a", "--b", "b"),
        "leaderboard": leaderboard,
        "leaderboard command": command("leaderboard"),
        "pages": [words(page.get(f"/compare/?{AGENTS}").text), words(page.get("/leaderboard/").text)],
        "report": words(text_of(page.get(f"/compare/report/?{AGENTS}"))),
    }


@pytest.mark.long
def test_page_api_command_and_report_give_the_same_ten_figures(answers):
    compared, command = answers["compare"], answers["command"]
    names = {
        "difference": "mean_difference",
        "p": "p_sign_flip",
        "adjusted_p": "p_holm",
        "wilcoxon_p": "p_wilcoxon",
        "detectable": "minimum_detectable_difference",
    }
    points = ("difference", "detectable")
    for ours, theirs in names.items():
        assert compared[ours] == pytest.approx(command[theirs] * (100 if ours in points else 1))
    assert compared["interval"] == pytest.approx([100 * end for end in command["interval"]])
    (mean,) = (cell for row in answers["leaderboard"]["rows"] if row["agent"] == "a" for cell in row["cells"])
    assert answers["leaderboard"] == answers["leaderboard command"]

    # Signs are written in more than one way; the sentence holds them.
    values = [compared["difference"], *compared["interval"], compared["detectable"]]
    texts = [f"{abs(value):.1f}" for value in values]
    texts += [probability(compared[name]) for name in ("p", "adjusted_p", "wilcoxon_p")]
    for door in (answers["pages"][0], answers["report"]):
        assert [text for text in texts if text not in door] == []
        assert compared["sentence"].partition(" (")[0] in door
    assert compared["sentence"] in answers["report"]
    of_mean = [f"{100 * mean['mean']:.1f}", *(f"{100 * end:.1f}" for end in mean["interval"])]
    assert [text for text in of_mean if text not in answers["pages"][1]] == []


@pytest.mark.long
def test_litmus_page_api_command_and_reports_give_the_same_three_scores(page, owning, run_row, command):  # noqa: F811
    metrics = {"revenue": 1.0, "inequality": 1.0, "frontier_distance": 0.1, "frontier_share": 0.9}
    rng = np.random.default_rng(5)
    for seed in range(8):
        asked = {"problem": generate(EQUALITY, "STANDARD", seed), "periods": 30, "metrics": metrics}
        for variant in ("main", "efficiency", "equality"):
            run = run_row("a", float(rng.uniform(0.3, 0.9)), variant=variant, **asked)
        run_row("a", float(rng.uniform(0.3, 0.9)), seed=seed)
    api = owning.get("/leaderboards/litmus").json()
    assert api == command("leaderboard", "--litmus")
    (scores,) = next(row for row in api["rows"] if row["agent"] == "a")["scores"]
    litmus, competency = scores["litmus"], scores["competency"]
    figures = [litmus["mean"], *litmus["interval"], competency["mean"], scores["reliability"], *scores["steadiness"]]
    texts = [f"{figure:.2f}" for figure in figures]
    report = words(text_of(page.get(f"/experiments/{run.experiment_id}/report/")))
    for door in (page.get("/litmus/").text, page.get(f"/experiments/{run.experiment_id}/litmus/").text):
        assert [text for text in texts if text not in words(door)] == []
    assert [text for text in texts if text not in report] == []

    rows = owning.get("/leaderboards/benchmark").json()["rows"]
    (cell,) = next(row for row in rows if row["agent"] == "a")["cells"]
    assert f"{100 * cell['mean']:.1f} ± {100 * cell['standard_error']:.1f}" in report
