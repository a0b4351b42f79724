"""Launch files: a written launch is read again, and an unreadable file gets a sentence."""

import pytest
import yaml
from django.core.management import CommandError, call_command

from environments.registry import GENERATION
from runs.launching.again import spec_as_plan
from runs.launching.files import MOST_BYTES, read_launch, written_launch
from runs.launching.plan import LaunchError, LaunchPlan
from runs.launching.request import request_as_plan
from runs.models import Agent, Experiment

FILE = """
environments: [pricing]
difficulties: [BASIC]
seeds: 0-2
agents: [random, pricing-constant]
budget_usd: 2.5
name: From git
"""

WRONG = {
    b"\xff\xfe": "not text in UTF-8",
    b"- random": "no fields",
    b"": "no fields",
    b"environments: [pricing": "not YAML that can be read in line",
    b"seeds: 0\nseeds: 1": "a field is there twice",
    b"a: &a [x]\nagents: *a": "aliases are not read",
    b"agents: !!python/object/apply:os.system [id]": "not YAML that can be read",
    b"[" * 9000: "not YAML that can be read in line 1: it is nested too deep",
    b"periods: " + b"9" * 6_000: "not YAML that can be read",
    b"a" * (MOST_BYTES + 1): "more than 20,000 bytes",
    b"rounds: 3": "rounds: There is no such field.",
    b"agents: random": "agents: This must be a list.",
    b"name: 2026-11-23": "name: This must be a string.",
    b"seeds: [0, 1]": "seeds: This must be a string.",
    b"1: 2": "1: ",
    b"budget_usd: .inf": "budget_usd: ",
    b"budget_usd: 0.001": "budget_usd: ",
    b"settings: {size: .nan}": "settings.size: ",
}


@pytest.mark.sampled
@pytest.mark.parametrize("content", WRONG, ids=list(WRONG.values()))
def test_an_invalid_file_gets_a_sentence(content):
    with pytest.raises(LaunchError, match=WRONG[content]):
        read_launch(content)


def test_every_kind_of_launch_survives_a_round_trip_through_a_file(organization, agent):
    names = ("random", "pricing-constant")
    agents = tuple(Agent.objects.filter(organization=organization, slug__in=names).order_by("slug"))
    usual = {"environments": ("pricing",), "difficulties": ("BASIC",), "seeds": (0,), "agents": agents}
    market = {"environments": ("collusiveness_vs_competitiveness",), "difficulties": ("STANDARD",)}
    sellers = {slug: Agent.objects.get(slug=slug) for slug in ("collusion-nash", "collusion-collusive")}
    for fields in (
        usual,
        usual | {"seeds": (0, 1, 2, 7, *range(9, 12)), "periods": 5, "run_budget_nano": 1_250_000_000},
        usual
        | {
            "difficulties": ("CUSTOM",),
            "settings": GENERATION["pricing"].difficulties["HARD"],
            "generator": "paper_text",
        },
        usual | {"seeds": tuple(range(12)), "stages": (4, 8, 12), "points": 12.5, "reasoning_wording": "on"},
        usual | {"priority": "low", "runs_at_once": 3},
        usual | market | {"agents": (sellers["collusion-nash"],), "rival": sellers["collusion-collusive"]},
    ):
        plan = LaunchPlan(**fields)
        body = read_launch(written_launch(plan.as_spec(), "Ünïcode: 'quoted' #1", 2_500_000_000).encode())
        again = request_as_plan(body, organization)
        assert again.as_spec() == plan.as_spec() == spec_as_plan(plan.as_spec(), organization).as_spec()
        assert (body.name, body.budget_usd) == ("Ünïcode: 'quoted' #1", 2.5)


def test_a_file_is_launched_by_the_command_line(organization, tmp_path, capsys):
    path = tmp_path / "plan.yaml"
    path.write_text(FILE)
    call_command("launch", str(path))
    experiment = Experiment.objects.get()
    assert (experiment.name, experiment.budget_nano, experiment.runs.count()) == ("From git", 2_500_000_000, 6)
    call_command("estimate", str(path))
    assert "6 runs" in capsys.readouterr().out


def test_the_command_line_refuses_incomplete_and_conflicting_launches(organization, tmp_path, capsys):
    path = tmp_path / "plan.yaml"
    path.write_text(FILE)
    for arguments, sentence in (
        (["--environment", "pricing"], "Give a file, or --difficulty, --seeds, --agent."),
        ([str(path), "--seeds", "3"], "Write it into the file instead of giving --seeds beside it."),
        ([str(tmp_path / "none.yaml")], "none.yaml cannot be read: No such file or directory."),
    ):
        with pytest.raises((SystemExit, CommandError)):
            call_command("launch", *arguments)
        assert sentence in capsys.readouterr().err
    assert not Experiment.objects.exists()


@pytest.mark.long
def test_a_file_fills_in_the_form_without_launching(page, organization):
    from django.core.files.uploadedfile import SimpleUploadedFile as Upload

    answer = page.post("/experiments/new/file/", {"file": Upload("plan.yaml", FILE.encode())})
    assert answer.status_code == 200 and "Nothing is launched yet" in answer.text and 'value="From git"' in answer.text
    assert 'value="0-2"' in answer.text and "Launch 6 runs" in answer.text and 'value="2.5"' in answer.text
    for content, sentence in (
        (FILE.replace("random", "nobody"), "There is no agent &#x27;nobody&#x27; here."),
        ("<script>", "no fields"),
        (FILE.replace("BASIC", "<b>"), "&lt;b&gt;"),
    ):
        answer = page.post("/experiments/new/file/", {"file": Upload("plan.yaml", content.encode())})
        assert answer.status_code == 422 and sentence in answer.text
    assert page.post("/experiments/new/file/").status_code == 422
    assert not Experiment.objects.exists()


def test_an_experiment_offers_its_launch_as_a_file(page, launch):
    experiment = launch("random", seeds=(0, 1))
    answer = page.get(f"/experiments/{experiment.pk}/launch.yaml")
    assert "attachment" in answer["Content-Disposition"]
    assert yaml.safe_load(b"".join(answer))["agents"] == ["random"]
    assert "launch.yaml" in page.get(f"/experiments/{experiment.pk}/").text
