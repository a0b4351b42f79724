"""A person has four downloads at once; the fifth is told to wait."""

from __future__ import annotations

import pytest

from accounts.pages.downloads import DOWNLOADS_AT_ONCE


@pytest.fixture
def run(launch):
    from runs.engine.advance import advance

    run = launch("random").runs.get()
    advance(run.pk)
    return run


def test_the_fifth_of_a_person_is_refused_until_one_has_ended(run, page):
    place = f"/runs/{run.pk}/run.jsonl"
    running = [page.get(place) for _ in range(DOWNLOADS_AT_ONCE)]
    refused = page.get(place)
    assert refused.status_code == 429 and refused["Retry-After"] == "30"
    assert "4 downloads of yours are running." in refused.content.decode()
    assert b"".join(running[0].streaming_content)
    assert page.get(place).status_code == 200


def test_an_answer_that_is_never_sent_counts_no_longer(run, page):
    for _ in range(2 * DOWNLOADS_AT_ONCE):
        answer = page.get(f"/runs/{run.pk}/run.jsonl")
        assert answer.status_code == 200
        # As `answer.close()` does, which also ends the connection that the test's transaction is on.
        for close in answer._resource_closers:
            close()
