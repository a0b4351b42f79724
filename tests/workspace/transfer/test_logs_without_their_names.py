"""Logs without their folder names: the information comes from elsewhere or is reported as missing."""

import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command

from environments.registry import ENVIRONMENTS
from runs.models import Run
from tests.workspace.transfer.published_log import write_log, write_patience, zip_of
from workspace.transfer.models import ImportUpload
from workspace.transfer.reading.sources import LogRefused
from workspace.transfer.services.uploads import upload_create

MARKET = "collusiveness_vs_competitiveness"


@pytest.fixture
def looked_at(previewed):
    """The preview of the only log of a place."""

    def look(place):
        (row,) = previewed(place)
        return row

    return look


def packed(folder, path):
    path.write_bytes(zip_of(folder))
    return path


def test_a_single_log_folder_or_archive_is_read_like_a_collection(looked_at, tmp_path):
    market = write_log(tmp_path, MARKET, periods=2)
    row = looked_at(market)
    assert (row.folder, row.periods, row.planned, row.is_whole) == (market.name, 2, 2, True)
    row = looked_at(packed(market, tmp_path / f"{market.name} (1).zip"))
    assert (row.folder, row.planned, row.is_whole) == (f"{market.name} (1)", 2, True)
    row = looked_at(write_patience(tmp_path))
    assert (row.environment, row.periods) == ("patience_vs_impatience", 50)


def test_the_name_of_a_single_batch_folder_gives_the_wording(looked_at, tmp_path):
    batch = tmp_path / "2025-03-01-10-00-00__collusion_v1_reasoning__x__2agent__seeds0"
    market = write_log(batch, MARKET, periods=2)
    assert looked_at(batch).reasoning and looked_at(market).reasoning


@pytest.mark.parametrize("reasoning", [False, True])
@pytest.mark.parametrize("wire", ["anthropic", "openai"])
def test_the_system_prompt_gives_the_wording(wire, reasoning, looked_at, tmp_path):
    system = ENVIRONMENTS[MARKET].prompt_set.system("main", reasoning=reasoning)
    market = write_log(tmp_path, MARKET, periods=2, wire=wire, system=system)
    assert looked_at(packed(market, tmp_path / "download.zip")).reasoning is reasoning


def test_the_questions_give_the_horizon_of_an_unnamed_folder(looked_at, tmp_path):
    row = looked_at(packed(write_patience(tmp_path, horizon="six_months"), tmp_path / "download.zip"))
    assert (row.problem, row.environment, row.periods) == ("", "patience_vs_impatience", 30)


def test_a_market_of_unknown_length_states_the_assumption_and_can_be_corrected(looked_at, stored, tmp_path):
    market = write_log(tmp_path, MARKET, periods=2)
    nameless = packed(market, tmp_path / "download.zip")
    row = looked_at(nameless)
    assert (row.periods, row.planned, row.is_whole) == (2, 300, False)
    assert row.facts["Length"] == "the folder's name does not say how many were planned; 300 are assumed"
    wrong = stored(nameless).experiment.runs.get()
    assert looked_at(nameless).known_as == wrong.pk and looked_at(market).known_as is None
    right = stored(market).experiment.runs.get()
    assert (wrong.state, right.state) == ("cancelled", "finished") and right.source.facts.get("Length") is None
    assert looked_at(nameless).known_as == wrong.pk and looked_at(market).known_as == right.pk


@pytest.mark.long
def test_nested_archives_are_listed_by_command_and_page(organization, sent, page, worked, capsys, tmp_path):
    write_log(tmp_path, "scheduling", name="good")
    for name in ("more/old.zip", "runs.tar.gz"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(b"PK")
    sentence = "Archives inside are not opened: more/old.zip, runs.tar.gz. Unpack them and import what they hold."
    call_command("import", tmp_path, organization=organization.slug, preview=True)
    assert f"refused    {sentence}" in capsys.readouterr().out

    place = f"/experiments/import/{sent().pk}/"
    worked()
    assert sentence in page.get(place).text
    page.post(f"{place}store/")
    worked()
    text = page.get(place).text
    assert sentence in text and "1 run imported" in text and Run.objects.count() == 1


def test_a_source_with_only_archives_is_refused_with_their_names(previewed, tmp_path):
    for number in range(12):
        (tmp_path / f"part{number:02}.zip").write_bytes(b"PK")
    with pytest.raises(LogRefused) as caught:
        previewed()
    assert "holds no folder with" in str(caught.value)
    assert "part00.zip, part01.zip" in str(caught.value) and "part09.zip and 2 more." in str(caught.value)


def test_a_worker_stores_what_the_command_previews(organization, page, alice, worked, capsys, tmp_path):
    """One way of reading: the browser's worker and the command."""
    market = write_log(tmp_path, MARKET, periods=2, actions={1: {"seat_0": -0.5, "seat_1": 1.4}}, ceiling=2.5)
    call_command("import", market, organization=organization.slug, preview=True, json=True)
    (told,) = json.loads(capsys.readouterr().out)["logs"]
    archive = packed(market, tmp_path / f"{market.name}.zip")
    upload_create(organization=organization, user=alice, file=SimpleUploadedFile(archive.name, archive.read_bytes()))
    worked()
    upload = ImportUpload.objects.get()
    assert upload.preview == [told]
    page.post(f"/experiments/import/{upload.pk}/store/")
    worked()
    source = Run.objects.get().source
    assert source.differences == told["differences"] and told["facts"].items() <= source.facts.items()
    call_command("import", market, organization=organization.slug, preview=True)
    assert "known      " in capsys.readouterr().out
