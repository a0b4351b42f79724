"""Pages and API of registrations."""

import json
import re

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext

from pages.registrations.file import sha256_of
from pages.registrations.models import Registration
from runs.models import Experiment
from tests.pages.registrations.conftest import STUDY

NEW = "/registrations/new/"


def hidden(response):
    return re.search(r'name="content"\s+value="([^"]+)"', response.text)[1]


@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_a_sent_file_is_checked_confirmed_and_registered_with_the_hash_of_its_bytes(page, ends):
    content = STUDY.replace("\n", ends).encode()
    checked = page.post(NEW, {"file": SimpleUploadedFile("study.yaml", content)})
    assert sha256_of(content) in checked.text and not Registration.objects.exists()
    answer = page.post(f"{NEW}confirm/", {"content": hidden(checked)}, follow=True)
    registration = Registration.objects.get()
    assert registration.sha256 == sha256_of(content) and Experiment.objects.count() == 1
    assert "Registered. 1 launch made." in answer.text and registration.sha256 in answer.text
    file = page.get(f"/registrations/{registration.pk}/study.yaml")
    assert b"".join(file.streaming_content) == content


def test_pasted_text_loses_the_line_ends_of_browsers_and_errors_keep_it(page):
    checked = page.post(NEW, {"text": STUDY.replace("\n", "\r\n")})
    assert sha256_of(STUDY.encode()) in checked.text
    wrong = page.post(NEW, {"text": STUDY.replace("[random]", "[nobody]")})
    assert wrong.status_code == 422 and "The launches play 0 with nobody" in wrong.text and "nobody]" in wrong.text
    assert "Choose a file" in page.post(NEW).text


def test_a_hostile_confirmation_registers_nothing(page):
    for content in ("", "%%%", "W10=", "eA=="):
        assert page.post(f"{NEW}confirm/", {"content": content}).status_code == 302
    assert not Registration.objects.exists()


def test_the_page_of_a_complete_registration_has_answers_deviations_and_files(page, complete):
    text = page.get(f"/registrations/{complete.pk}/").text
    assert "Answers to the registered questions" in text and "None: every run was played" in text
    report = b"".join(page.get(f"/registrations/{complete.pk}/report/").streaming_content).decode()
    assert (
        report.index("Registered questions")
        < report.index("Exploratory")
        < report.index("Mean scores of finished runs")
    )
    archive = page.get(f"/registrations/{complete.pk}/archive/")
    assert archive["Content-Disposition"] == f'attachment; filename="study-{complete.sha256[:12]}.zip"'
    assert b"".join(archive.streaming_content).startswith(b"PK")


def test_before_the_last_run_has_ended_there_are_no_answers(page, register):
    registration = register()
    assert "Answers to the registered questions" not in page.get(f"/registrations/{registration.pk}/").text
    assert "when every run has ended" in page.get(f"/registrations/{registration.pk}/report/", follow=True).text


def test_the_list_takes_the_same_queries_for_any_number(page, register):
    def queries():
        with CaptureQueriesContext(connection) as captured:
            assert STUDY.splitlines()[0].removeprefix("title: ") in page.get("/registrations/").text
        return len(captured)

    register()
    few = queries()
    register(f"{STUDY}# another\n")
    assert queries() == few


def test_a_program_registers_launches_once_and_reads_the_answers(program, owner, complete):
    client = program(owner)
    made = client.send("POST", "/registrations", {"study": f"{STUDY}# by a program\n"})
    number = made.json()["id"]
    assert (made.status_code, made.json()["state"], made.json()["experiments"]) == (201, "registered", [])
    first, again = (client.send("POST", f"/registrations/{number}/launch", None) for _ in range(2))
    assert first.json()["experiments"] == again.json()["experiments"] != []
    assert client.send("GET", f"/registrations/{number}/archive", None).status_code == 409
    read = client.send("GET", f"/registrations/{complete.pk}", None).json()
    assert [answer["kind"] for answer in read["answers"]] == ["compare", "mean"] and read["deviations"] == []
    wrong = client.send("POST", "/registrations", {"study": "title: x"})
    assert wrong.json()["error"]["fields"]["study.launches"] == "launches: This is needed."


def test_the_command_prints_an_example_checks_without_storing_and_registers_without_launching(
    organization, tmp_path, capsys
):
    def printed(*words):
        call_command("study", *words)
        return capsys.readouterr().out

    file = tmp_path / "study.yaml"
    file.write_text(printed("--example"))
    assert "Launch 1: 48 runs, about $0.00." in printed(str(file), "--check") and not Registration.objects.exists()
    assert json.loads(printed(str(file), "--register-only", "--json"))["state"] == "registered"
    assert not Experiment.objects.exists()
    for words in ((str(file), "--check"), (str(tmp_path / "absent.yaml"),), ()):
        with pytest.raises(SystemExit) as ended:
            call_command("study", *words)
        assert ended.value.code == 2 and capsys.readouterr().err.endswith(".\n")
