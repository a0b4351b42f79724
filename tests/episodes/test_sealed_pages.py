"""No page, file or operation shows more of a sealed run than that it is sealed, whoever asks."""

import re

import pytest

from episodes.game import problem_of
from episodes.models import Episode
from tests.episodes.test_seasons import entered, play, season  # noqa: F401
from tests.security.site_map import every_route


def secrets_of(episode):
    """The texts that nobody may see: key, hash, and hidden numbers and scores of at least four decimals."""
    problem = problem_of(episode)
    numbers = re.findall(r"\d+\.\d{4,}", f"{problem.hidden} {problem.reference} {episode.result['score']}")
    return {str(problem.seed), f"{problem.seed:064x}", problem.content_hash} | {number[:8] for number in numbers}


def addresses(run):
    values = {
        "run_id": run.pk,
        "instance_id": run.instance_id,
        "experiment_id": run.experiment_id,
        "index": 0,
        "environment": run.instance.environment,
        "form": "json",
        "agent_slug": run.agent.slug,
    }
    for route in set(every_route()):
        names = re.findall(r"<(?:\w+:)?(\w+)>", route)
        if names and set(names) <= set(values) and not route.startswith("^"):
            yield "/" + re.sub(r"<(?:\w+:)?(\w+)>", lambda found: str(values[found[1]]), route)


@pytest.mark.parametrize("place", [0, 2], ids=["pricing", "scheduling"])
def test_every_address_of_a_sealed_run_keeps_its_secrets(entered, opener, page, place):  # noqa: F811
    opened = entered().json()["episodes"][place]
    play(opened)
    episode = Episode.objects.get(pk=opened["id"])
    hidden = secrets_of(episode)
    files = [f"/runs/{episode.run_id}/run.{form}" for form in ("jsonl", "csv", "eval")]
    lists = ["/", "/runs/", "/instances/", "/experiments/", "/leaderboard/?rows=outside", f"/runs/{episode.run_id}/"]
    asked = [*files, *lists, *sorted(addresses(episode.run))]
    told = {}
    for address in asked:
        answer = (opener.client if address.startswith("/api/") else page).get(
            address, headers=opener.headers if address.startswith("/api/") else {}
        )
        body = b"".join(answer.streaming_content) if answer.streaming else answer.content
        text = body.decode("latin-1")
        shown = sorted(secret for secret in hidden if secret in text)
        if answer.status_code >= 500 or shown:
            told[address] = (answer.status_code, shown[:3])
    assert len(asked) > 40 and not told
