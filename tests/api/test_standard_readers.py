"""Third-party programs read our documents: OpenAPI validators and client generators, plotly, pandas.

The validator and the generator run in a separate environment, whose Python is ECONEVALS_READERS_PYTHON. Inspect AI reads its
logs in tests/workspace/transfer/test_inspect_logs.py.
"""

import io
import json
import os
import re
import subprocess
from pathlib import Path

import pandas
import plotly.io
import pytest

from analysis.answers import TABLES, tables_of
from analysis.base.table import LeaderboardKind
from analysis.figures.light import coloured, light_colours
from api.protocol.describing import description
from api.resources.leaderboards.figures import BENCHMARK
from environments.registry import ENVIRONMENTS
from games.registry import parts_of
from tests.conftest import need
from tests.runs.episodes.served import served
from tests.waiting import patience

PYTHON = os.environ.get("ECONEVALS_READERS_PYTHON", "")
TWO = "&agents=random&agents=optimum"
CLIENT = """
import sys
from client import AuthenticatedClient
from client.api.episodes_and_seasons import open_episode
from client.api.figures import run_figure
from client.api.instances import list_instances
from client.api.runs import get_run, list_runs
from client.api.seats_of_episodes import get_seat, take_action
from client.api.this_token import me
from client.models import ActionIn, EpisodeIn

address, token = sys.argv[1:]
client = AuthenticatedClient(base_url=address, token=token, raise_on_unexpected_status=True)
assert "play" in me.sync(client=client).scopes
asked = {"environment": "pricing", "difficulty": "BASIC", "periods": 2, "harness": {"kind": "rest", "name": "generated"}}
opened = open_episode.sync(client=client, body=EpisodeIn.from_dict(asked))
seat = AuthenticatedClient(base_url=address, token=opened.token, raise_on_unexpected_status=True)
for period in range(opened.periods):
    assert get_seat.sync(client=seat).period == period
    receipt = take_action.sync(period, client=seat, body=ActionIn.from_dict({"action": {"Product_1": 20}}))
run = get_run.sync(opened.run, client=client)
assert [one.id for one in list_runs.sync(client=client).items] == [run.id]
assert len(list_instances.sync(client=client, environment="pricing").items) == 1
assert run_figure.sync(run.id, client=client)["data"]
refused = take_action.sync(2, client=seat, body=ActionIn.from_dict({"action": {"Product_1": 20}}))
print(run.state.value, run.periods_played, receipt.done, refused.error.code)
"""


def run_python(*words, folder):
    need("The environment of the readers of documents", bool(PYTHON))
    # The generator formats the client with the ruff beside it.
    variables = {"PATH": f"{Path(PYTHON).parent}:{os.environ['PATH']}", "HOME": str(folder)}
    done = subprocess.run(
        [PYTHON, *words], cwd=folder, env=variables, capture_output=True, text=True, timeout=patience()
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return done.stdout + done.stderr


@pytest.mark.long
def test_the_openapi_document_is_valid_and_a_generated_client_plays_an_episode(tmp_path):
    (tmp_path / "openapi.json").write_text(json.dumps(description()))
    run_python("-m", "openapi_spec_validator", "openapi.json", folder=tmp_path)
    options = ("--path", "openapi.json", "--meta", "none", "--output-path", "client")
    said = run_python("-m", "openapi_python_client", "generate", *options, folder=tmp_path)
    # It knows no type for JSON Lines and archives, so that these operations return their bytes.
    assert re.findall("(?m)^(?:WARNING|ERROR).*", said) == [
        f"WARNING parsing GET /api/v1/{path}."
        for path in (
            "experiments/{experiment_id}/export within export",
            "runs/{run_id}/export within export",
            "registrations/{registration_id}/archive within registrations",
        )
    ]
    (tmp_path / "use.py").write_text(CLIENT)
    with served(tmp_path / "site") as site:
        said = run_python("use.py", site.address, site.token, folder=tmp_path)
    assert said.split() == ["finished", "2", "True", "ended"]


@pytest.fixture
def experiment(played):
    return played("random", "optimum", environments=tuple(ENVIRONMENTS), difficulties=("BASIC", "STANDARD"), periods=2)


def addresses_of_figures(experiment):
    """Every operation that answers a Plotly figure, and those with a choice for each of its values."""
    for path, methods in description()["paths"].items():
        if not re.search("figure|chart", methods.get("get", {}).get("summary", "")):
            continue
        path = path.removeprefix("/api/v1").replace("{slug}", "random").replace("{experiment_id}", str(experiment.pk))
        yield from {path.replace("{run_id}", str(run.pk)) for run in experiment.runs.all()}
    metrics = [one.key for one in parts_of("pricing").metrics]
    for name, figure in BENCHMARK.items():
        plain = TWO if name == "comparison" else ""
        chosen = [f"&chart=pricing&metric={key}" for key in metrics] if figure.key == "metric" else [plain]
        yield from (f"/figures?figure={name}{more}" for more in chosen)


@pytest.mark.long
def test_plotly_reads_every_figure_of_the_api(owning, experiment):
    read = set()
    for address in addresses_of_figures(experiment):
        answer = owning.get(address)
        # Some environments have no second chart, and a metric must be named.
        if answer.status_code in (404, 422):
            continue
        assert answer.status_code == 200, (address, answer.text)
        assert "token:" not in answer.text, address
        plotly.io.from_json(answer.text)
        read.add(re.sub(r"\d+", "N", address))
    assert {f"/figures?figure={name}" for name, figure in BENCHMARK.items() if not figure.key} <= {
        address.removesuffix(TWO) for address in read
    }
    assert {
        "/runs/N/figure",
        "/runs/N/plane",
        "/experiments/N/figures/progress",
        "/agents/random/figures/litmus",
    } <= read


@pytest.mark.long
@pytest.mark.parametrize(
    ("address", "tables"),
    [
        ("/tables", tables_of(LeaderboardKind.BENCHMARK)),
        ("/tables/litmus", tables_of(LeaderboardKind.LITMUS)),
        ("/tables/agents", tables_of("agents")),
    ],
)
def test_pandas_reads_every_table_of_the_api(owning, experiment, address, tables):
    assert tables
    for name in tables:
        compared = TWO if name.endswith(("comparisons", "instances")) else ""
        asked = f"{address}?table={name}{compared}"
        texts = {form: owning.get(f"{asked}&form={form}").text for form in ("csv", "json")}
        rows = json.loads(texts["json"])
        columns = [column["name"] for column in rows["columns"]]
        frame = pandas.DataFrame(rows["rows"], columns=columns)
        read = pandas.read_csv(io.StringIO(texts["csv"]))
        assert (list(read.columns), len(read)) == (columns, len(frame)), name
        for column in frame.select_dtypes("number"):
            pandas.testing.assert_series_equal(read[column], frame[column], check_dtype=False)
    assert set(TABLES) >= set(tables)


@pytest.mark.long
def test_pandas_reads_the_export_of_an_experiment(owning, experiment):
    text = owning.get(f"/experiments/{experiment.pk}/export").getvalue().decode()
    assert len(pandas.read_json(io.StringIO(text), lines=True)) == text.count("\n") > 0


def test_a_name_that_looks_like_a_token_stays_a_name():
    figure = {"data": [{"name": "token:accent", "marker": {"color": ["token:accent", "#123456"]}}], "layout": {}}
    trace = coloured(figure)["data"][0]
    assert trace == {"name": "token:accent", "marker": {"color": [light_colours()["accent"], "#123456"]}}
