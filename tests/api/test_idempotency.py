"""Requests with the same Idempotency-Key create once, also after kills and at the same time."""

import json
import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.db import connection, connections
from django.utils import timezone

from api.models import KeptAnswer
from runs.models import Experiment, Run
from tests.api.conftest import LAUNCH, Program
from tests.data_folders import ROOT
from tests.waiting import patience


def launch(program, key="key-1", **changes):
    return program.post("/experiments", LAUNCH | changes, Idempotency_Key=key)


@pytest.mark.long
def test_a_repeated_request_gets_the_same_answer(owning):
    first, again = launch(owning), launch(owning)
    other_order = json.dumps(dict(reversed(LAUNCH.items())), indent=3).encode()
    for answer in (again, owning.post("/experiments", other_order, Idempotency_Key="key-1")):
        assert first.status_code == answer.status_code == 201 and first.content == answer.content
        assert "Idempotency-Replayed" not in first and answer["Idempotency-Replayed"] == "true"
    assert Experiment.objects.count() == 1
    assert launch(owning, "key-2").json()["id"] != first.json()["id"]


@pytest.mark.parametrize("key", ["two words", "", "é", "a\tb"])
def test_an_invalid_key_is_refused_with_a_sentence(owning, key):
    error = launch(owning, key).json()["error"]
    sentence = "A key has letters, digits and signs of ASCII, without spaces, such as a UUID."
    assert (error["message"], error["fields"]) == (sentence, {"Idempotency-Key": sentence})
    assert launch(owning, "x" * 201).json()["error"]["message"] == "This has at most 200 characters."


def test_every_request_without_a_key_launches(owning):
    for _ in range(2):
        assert owning.post("/experiments", LAUNCH).status_code == 201
    assert Experiment.objects.count() == 2 and not KeptAnswer.objects.exists()


def test_a_key_of_another_request_is_refused_with_a_sentence(owning):
    launch(owning)
    for refused in (launch(owning, seeds="7"), owning.post("/agents", {"name": "x"}, Idempotency_Key="key-1")):
        assert refused.status_code == 422
        assert refused.json()["error"]["code"] == "idempotency_key_reused"
        assert refused.json()["error"]["message"].startswith("This Idempotency-Key was used for another request")
    assert Experiment.objects.count() == 1


def test_a_refused_request_does_not_use_up_its_key(owning):
    assert launch(owning, agents=["nobody"]).status_code == 422
    assert launch(owning).status_code == 201


@pytest.mark.long
def test_organizations_do_not_share_keys(owning, program, other):
    theirs = program(other)
    assert launch(owning).json()["id"] != launch(theirs).json()["id"]
    assert "Idempotency-Replayed" not in launch(theirs, "key-3")


def test_members_do_not_get_answers_of_other_members(owning, program, join):
    mine, theirs = launch(owning), launch(program(join("bob", "editor")))
    assert "Idempotency-Replayed" not in theirs and mine.content != theirs.content
    assert launch(owning).content == mine.content


def test_a_key_is_a_short_word(owning):
    for key in ("", " ", "a b", "x" * 201, "é", "a\x00b"):
        assert launch(owning, key).status_code == 422, key
    assert not Experiment.objects.exists()


@pytest.mark.long
def test_a_key_expires_after_a_day(owning):
    launch(owning)
    KeptAnswer.objects.update(created_at=timezone.now() - timedelta(hours=23, minutes=59))
    assert launch(owning)["Idempotency-Replayed"] == "true"
    KeptAnswer.objects.update(created_at=timezone.now() - timedelta(hours=24, seconds=1))
    assert "Idempotency-Replayed" not in launch(owning)
    assert Experiment.objects.count() == 2
    launch(owning, "key-2")
    KeptAnswer.objects.update(created_at=timezone.now() - timedelta(hours=25))
    launch(owning, "key-3")
    assert list(KeptAnswer.objects.values_list("key", flat=True)) == ["key-3"]


@pytest.mark.long
@pytest.mark.django_db(transaction=True)
def test_simultaneous_requests_launch_once(owning):
    def send(_):
        try:
            response = launch(Program(owning.token))
            return response.status_code, response.json()["id"]
        finally:
            connections.close_all()

    with ThreadPoolExecutor(8) as threads:
        answers = list(threads.map(send, range(16)))
    assert len(set(answers)) == 1 and answers[0][0] == 201
    assert (Experiment.objects.count(), Run.objects.count(), KeptAnswer.objects.count()) == (1, 2, 1)


KILLED = """
import os, signal, sys
import django
django.setup()
from django.conf import settings
settings.DATABASES["default"]["NAME"] = sys.argv[2]
from django.db import connection
connection.settings_dict["NAME"] = sys.argv[2]
from django.test import Client
from django.db.models.signals import post_save
from api.models import KeptAnswer
from runs.models import Experiment, Run

def die(sender, created, **rest):
    if not created:  # the answer is being kept, after all that was launched: the last write before the commit
        assert Experiment.objects.count() == 1 and Run.objects.count() == 2
        os.kill(os.getpid(), signal.SIGKILL)

post_save.connect(die, sender=KeptAnswer)
headers = {"Authorization": "Bearer " + sys.argv[1], "Idempotency-Key": "key-1"}
Client(SERVER_NAME="localhost").post("/api/v1/experiments", sys.argv[3], content_type="application/json", headers=headers)
"""


@pytest.mark.long
@pytest.mark.django_db(transaction=True)
def test_a_kill_before_the_answer_stores_nothing_and_a_retry_launches_once(owning):
    name = str(connection.settings_dict["NAME"])
    environment = os.environ | {"DJANGO_SETTINGS_MODULE": "econevals_site.settings"}
    command = [sys.executable, "-c", KILLED, owning.token or "", name, json.dumps(LAUNCH)]
    killed = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, timeout=patience())
    assert killed.returncode == -signal.SIGKILL, killed.stderr.decode()[-2000:]
    assert (Experiment.objects.count(), Run.objects.count(), KeptAnswer.objects.count()) == (0, 0, 0)
    assert launch(owning).status_code == 201
    assert launch(owning)["Idempotency-Replayed"] == "true"
    assert Experiment.objects.count() == 1
