"""Own prompts: storage, when they can be changed, and what an agent reads."""

import io
import json
import re
import shlex
import zipfile

import pytest
import yaml
from django.core.exceptions import ValidationError
from django.core.management import call_command

from accounts.models import Action
from environments.prompts.own import MOST_BYTES
from environments.prompts.sets import as_run_prompts
from environments.registry import ENVIRONMENTS
from runs.estimating.estimates import estimate
from runs.launching.plan import LaunchError, LaunchPlan
from runs.launching.request import read_launch, request_as_plan, written_launch
from runs.models import PromptVariant, Run
from runs.selectors.designs import prompts_named, prompts_offered
from runs.selectors.experiments import run_or_404
from runs.services.deletions import experiment_delete, organization_empty
from runs.services.designs import GONE, USED, prompt_archive, prompt_change, prompt_create, prompt_delete
from runs.services.experiments import experiment_launch, launch_prepare
from runs.transcripts import period_transcripts
from tests.cast import play_all
from tests.data_folders import ROOT
from tests.prompts import launched_with, prompt_of
from tests.scripted_player import ScriptedPlayer
from tests.stub_provider import StubProvider
from workspace.transfer.writing.inspect_log import inspect_log
from workspace.transfer.writing.records import period_records

GUIDE = (ROOT / "docs" / "prompts.md").read_text(encoding="utf-8")
BUILT_IN = ENVIRONMENTS["pricing"].prompt_set
CEILING = "{upper_bound_price}"
OWN = {
    "system": "Sell well.",
    "initial": f"Begin. Not above {CEILING}.",
    "reply": "Go on.",
    "tools.write_notes": "Jot it down.",
    "tools.write_notes.notes": "Anything.",
}


def errors_of(call, **values):
    with pytest.raises(ValidationError) as caught:
        call(**values)
    return {name: sentences[0] for name, sentences in caught.value.message_dict.items()}


def test_a_prompt_is_stored_completely_with_the_hash_of_its_texts(organization, alice):
    made = prompt_of(organization, alice, reply=" Go\r\non.\x00 ", name="  Much\nshorter ")
    assert (made.variant, made.name, made.created_by) == ("main+concise", "Much shorter", alice)
    assert made.texts == BUILT_IN.texts("main") | {"reply": "Go\non.\ufffd"} | stripped()
    assert made.version == PromptVariant.objects.get().prompt_set.version
    assert [entry.action for entry in organization.audit_entries.filter(action__startswith="prompt")] == [
        "prompt.saved"
    ]


def stripped():
    """Texts of the paper's tools with space at an end, which an own prompt does not keep."""
    return {name: text.strip() for name, text in BUILT_IN.texts("main").items() if name.startswith("tools.")}


RESERVED = "{0} is reserved, because main+{0} would pass for a prompt of the paper."
SLUG = "A slug has 1 to 30 small letters, digits and hyphens, such as concise-2."


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("change", "field", "sentence"),
    [
        *(({"slug": slug}, "slug", RESERVED.format(slug)) for slug in ("main", "efficiency", "published", "paper")),
        *(({"slug": slug}, "slug", SLUG) for slug in ("", "Concise", "a+b", "a b", "-a", "a" * 31, "é", "a_b", "../x")),
        ({"name": " "}, "name", "A name has 1 to 100 characters."),
        ({"name": "a\u202eb"}, "name", "A name has 1 to 100 characters."),
        ({"environment": "chess"}, "environment", "There is no environment 'chess'."),
        ({"base": "equality"}, "base", "There is no built-in variant 'equality' here; there are main, shock_sensitivity."),
        ({"texts": {"initial": "Go."}}, "texts.initial", f"The placeholder {CEILING} is missing (price ceiling of the "
         "period)."),
        ({"texts": {"system": "{budget}"}}, "texts.system", "{budget} is not a placeholder of this text; this text has no "
         "placeholders."),
        ({"texts": {"reply": "a" * (MOST_BYTES + 1)}}, "texts.reply", "A text has at most 65,536 bytes; this one has "
         "65,537."),
        ({"texts": {"coda": "a"}}, "texts.coda", "There is no such text in this variant."),
    ],
)  # fmt: skip
def test_every_invalid_field_gets_a_sentence(organization, alice, change, field, sentence):
    values = {"environment": "pricing", "base": "main", "slug": "concise", "name": "Shorter", "texts": {}} | change
    assert errors_of(prompt_create, organization=organization, user=alice, **values) == {field: sentence}
    assert not PromptVariant.objects.exists()


def test_a_slug_is_unique_per_variant_and_organization(organization, other):
    prompt_of(organization)
    prompt_of(organization, environment="procurement")
    prompt_of(organization, environment="procurement", base="known_horizon")
    prompt_of(other.organization)
    values = {"environment": "pricing", "base": "main", "slug": "concise", "name": "Again", "texts": {}}
    found = errors_of(prompt_create, organization=organization, user=None, **values)
    assert found == {"slug": "There is a prompt main+concise of this environment already."}


def test_a_prompt_can_be_changed_and_deleted_until_a_run_uses_it(organization, alice, launch):
    made = prompt_of(organization)
    changed = prompt_change(prompt=made, user=alice, slug="short", name="Short", texts={"system": "Sell."})
    assert (changed.variant, changed.texts["system"], changed.texts["reply"]) == ("main+short", "Sell.", "Go on.")
    assert changed.version != made.version
    experiment = launched_with(launch, organization, "random", variants=("main+short",))
    for call, values in ((prompt_change, {"slug": "x", "name": "X", "texts": {}}), (prompt_delete, {})):
        with pytest.raises(ValidationError, match=USED):
            call(prompt=changed, user=alice, **values)
    assert PromptVariant.objects.get().texts["system"] == "Sell."
    experiment_delete(experiment=experiment)
    experiment.delete()
    prompt_delete(prompt=changed, user=alice)
    assert not PromptVariant.objects.exists()
    with pytest.raises(ValidationError, match=re.escape(GONE)):
        prompt_change(prompt=changed, user=alice, slug="x", name="X", texts={})
    deeds = [entry.action for entry in organization.audit_entries.filter(action__startswith="prompt").order_by("id")]
    assert deeds == [Action.PROMPT_SAVED, Action.PROMPT_CHANGED, Action.PROMPT_DELETED]


def plan_with(organization, *variants, **options):
    values = {"environments": ("pricing",), "difficulties": ("BASIC",), "seeds": (0,), "periods": 2} | options
    agents = tuple(organization.agents.filter(slug="random"))
    prompts = prompts_named(organization=organization, variants=variants)
    return LaunchPlan(agents=agents, variants=variants, prompts=prompts, **values)


def refused(make):
    with pytest.raises(LaunchError) as caught:
        make()
    return caught.value.errors


def test_a_launch_accepts_only_own_prompts_of_its_environments(organization, other):
    prompt_of(organization)
    prompt_of(other.organization, slug="theirs")
    plan = plan_with(organization, "main", "main+concise", environments=("pricing", "procurement"))
    played = [(run.environment, run.variant) for run in plan.runs]
    assert played == [("pricing", "main"), ("pricing", "main+concise"), ("procurement", "main")]
    none = "The chosen environments have no variant '{}'.".format
    for name, environment in (("main+theirs", "pricing"), ("main+concise", "procurement"), ("main+absent", "pricing")):
        found = refused(lambda name=name, chosen=environment: plan_with(organization, name, environments=(chosen,)))
        assert found == {"variants": none(name)}, "a foreign prompt is answered as an absent one"


@pytest.mark.parametrize("deed", ["change", "delete", "archive"])
def test_a_prompt_changed_after_planning_is_not_launched(organization, alice, deed):
    made = prompt_of(organization)
    prepared = launch_prepare(plan=plan_with(organization, "main+concise"), organization=organization)
    if deed == "change":
        prompt_change(prompt=made, user=alice, slug="concise", name="Shorter", texts={"reply": "More."})
    elif deed == "delete":
        prompt_delete(prompt=made, user=alice)
    else:
        prompt_archive(prompt=made, archived=True)
    launch = lambda: experiment_launch(  # noqa: E731
        organization=organization, user=alice, plan=prepared.plan, prepared=prepared
    )
    (sentence,) = refused(launch).values()
    assert sentence.startswith("The prompt main+concise was changed, archived or deleted meanwhile.")
    assert not Run.objects.exists() and not organization.experiments.exists()


def test_an_archived_prompt_cannot_be_launched_until_it_is_restored(organization):
    made = prompt_of(organization)
    offered = prompts_offered(organization=organization)
    assert {variant: [row.environment for row in rows] for variant, rows in offered.items()} == {
        "main+concise": ["pricing"]
    }
    prompt_archive(prompt=made, archived=True)
    assert prompts_offered(organization=organization) == {}
    archived = "The prompt main+concise is archived. Restore it on its page, or choose another."
    assert refused(lambda: plan_with(organization, "main+concise")) == {"variants": archived}
    prompt_archive(prompt=made, archived=False)
    assert plan_with(organization, "main+concise").runs


@pytest.mark.long
@pytest.mark.parametrize("wire", ["openai", "anthropic"])
@pytest.mark.parametrize("reasoning", [False, True])
def test_a_model_reads_the_own_texts_and_not_those_of_the_paper(organization, launch, model_agent, wire, reasoning):
    made = prompt_of(organization, **OWN)
    with StubProvider(ScriptedPlayer()) as stub:
        agent = model_agent(stub, wire, reasoning=reasoning)
        play_all(launched_with(launch, organization, agent.slug, periods=2))
        bodies = [json.dumps(body) for body in stub.bodies]
    run = run_or_404(organization=organization, run_id=Run.objects.get().pk)
    assert (run.state, run.variant, run.prompt_version) == ("finished", "main+concise", made.version)
    assert (run.prompts, run.reasoning) == (made, False), "an own prompt has one wording"
    for told in ("Sell well.", "Begin. Not above ", "Jot it down.", "Anything."):
        assert all(told in body for body in bodies), told
    assert any("Go on." in body for body in bodies)
    assert not [body for body in bodies if CEILING in body or "price-setting decisions" in body]
    shown = period_transcripts(run, 1)["seat_0"]
    assert (shown.system, shown.reply_prompt) == ("Sell well.", "Go on.") and shown.prompt.startswith(
        "Begin. Not above "
    )
    assert next(tool for tool in shown.tools if tool.name == "write_notes").description == "Jot it down."
    assert {record["variant"] for record in period_records(Run.objects.all())} == {"main+concise"}
    archive = zipfile.ZipFile(io.BytesIO(b"".join(inspect_log(run))))
    start = json.loads(archive.read("_journal/start.json"))["eval"]
    assert (start["task_args"]["variant"], start["task_version"]) == ("main+concise", made.version)
    assert json.loads(archive.read("samples/1_epoch_1.json"))["messages"][0]["content"] == "Sell well."


@pytest.mark.long
@pytest.mark.django_db(transaction=True)
def test_a_model_reads_the_texts_of_the_experiments_and_the_transcript_shows_them(organization, launch, model_agent):
    with StubProvider(ScriptedPlayer()) as stub:
        play_all(launch(model_agent(stub).slug, variants=("as_run",), periods=2))
        bodies = [json.dumps(body) for body in stub.bodies]
    run = run_or_404(organization=organization, run_id=Run.objects.get().pk)
    assert (run.state, run.variant, run.config["max_attempts"]) == ("finished", "as_run", 10)
    assert run.prompt_version == as_run_prompts(BUILT_IN).version != BUILT_IN.version
    history = "{'previous_pricing_data': 'Attempt 0:\\nProduct_1:\\nPrice: "
    assert any(json.dumps(history)[1:-1] in body for body in bodies)
    exchanges = period_transcripts(run, 1)["seat_0"].exchanges
    texts = [call.result for exchange in exchanges for call in exchange.calls]
    assert any(text.startswith(history) for text in texts), texts


@pytest.mark.long
@pytest.mark.django_db(transaction=True)
def test_a_survey_sends_the_questions_of_an_own_prompt(organization, launch, model_agent):
    question = "$<amount> <time_span> from now? Reply with <answer>A</answer> or <answer>B</answer>."
    texts = {"question": f"Now A. {question}", "question.flipped": f"Now B. {question}"}
    prompt_of(organization, environment="patience_vs_impatience", slug="terse", **texts)
    quick = {"one_month": 0, "six_months": 0, "one_year": 1, "five_years": 0, "repetitions": 2}
    survey = {"environments": ("patience_vs_impatience",), "difficulties": ("CUSTOM",), "settings": quick}
    with StubProvider(ScriptedPlayer()) as stub:
        play_all(launched_with(launch, organization, model_agent(stub).slug, variants=("main+terse",), **survey))
        asked = [body["messages"][0]["content"] for body in stub.bodies]
    assert Run.objects.get().state == "finished" and len(asked) >= 2
    assert {text[:6] for text in asked} == {"Now A.", "Now B."} and not [text for text in asked if "<amount>" in text]


def test_rebuilding_runs_without_own_prompts_takes_no_extra_query(
    organization, launch, played, django_assert_num_queries
):
    prompt_of(organization)
    built_in = played("random").runs.get()
    own = launched_with(launch, organization, "random").runs.get()
    play_all(own.experiment)
    for run, queries in ((built_in, 2), (own, 3)):
        found = run_or_404(organization=organization, run_id=run.pk)
        with django_assert_num_queries(queries):
            period_transcripts(found, 1)


def test_an_estimate_counts_the_own_texts(organization, model_agent):
    prompt_of(organization, slug="short", **OWN)
    prompt_of(organization, slug="long", system="Sell well. " * 4_000)
    with StubProvider(ScriptedPlayer()) as stub:
        agent = model_agent(stub)
    sizes = []
    for variant in ("main+short", "main", "main+long"):
        plan = plan_with(organization, variant)
        object.__setattr__(plan, "agents", (agent,))
        del plan.__dict__["runs"]
        sizes.append(estimate(plan, organization).input_tokens.expected)
    assert sizes[0] < sizes[1] < sizes[2] / 5


def test_a_launch_with_own_prompts_survives_a_round_trip_through_a_file(organization, launch):
    prompt_of(organization)
    spec = launched_with(launch, organization, "random", variants=("main", "main+concise")).spec
    plan = request_as_plan(read_launch(written_launch(spec, "Again").encode()), organization)
    assert [run.variant for run in plan.runs] == ["main", "main+concise"] and plan.as_spec() == spec


def test_the_command_and_the_file_in_the_guide_launch_own_prompts(organization, capsys, tmp_path):
    made = prompt_of(organization)
    (command,) = re.findall(r"```sh\nbin/econevals (launch .*)\n```", GUIDE)
    (file,) = re.findall(r"```yaml\n(.*?)```", GUIDE, re.DOTALL)
    path = tmp_path / "launch.yaml"
    path.write_text(file)
    assert yaml.safe_load(file)["variants"] == ["main", "main+concise"]
    for words in (shlex.split(command), ["launch", str(path)]):
        capsys.readouterr()
        call_command(*words, "--json")
        runs = json.loads(capsys.readouterr().out)["runs"]
        assert sorted(run["variant"] for run in runs) == ["main"] * 3 + ["main+concise"] * 3
    assert Run.objects.filter(prompts=made).count() == 6


def test_replaying_actions_uses_the_built_in_variant(capsys, tmp_path):
    actions = tmp_path / "actions.jsonl"
    actions.write_text('{"seat_0": 2}\n')
    played = []
    for variant in ("single_agent", "single_agent+mine"):
        where = ("collusiveness_vs_competitiveness", "STANDARD", "--seed", "0", "--actions", str(actions))
        call_command("replay", *where, "--variant", variant)
        played.append(json.loads(capsys.readouterr().out))
    assert played[0] == played[1]
    with pytest.raises(SystemExit):
        call_command("replay", "patience_vs_impatience", "STANDARD", *where[2:], "--variant", "as_run")
    assert "There is no variant 'as_run'; there are main," in capsys.readouterr().err


def test_deleting_an_organization_deletes_its_prompts(organization, launch):
    prompt_of(organization)
    launched_with(launch, organization, "random")
    organization_empty(organization=organization)
    organization.delete()
    assert not PromptVariant.objects.exists()
