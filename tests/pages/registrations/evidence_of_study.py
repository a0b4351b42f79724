"""Evidence without a database."""

from itertools import count

from pages.registrations.evidence.records import Evidence, EvidenceRun, LaunchState
from pages.registrations.file import read_study

numbers = count(1)
VERSIONS = {"code": "1", "prompts": {"pricing main": "p"}}


def run(agent, seed, score, **changes):
    values = {
        "run": next(numbers), "launch": 1, "instance": seed + 100, "environment": "pricing", "difficulty": "BASIC",
        "seed": seed, "generator": "published", "settings": {}, "content_hash": "recipe:", "agent": agent, "rival": "",
        "variant": "main", "reasoning": False, "periods": 3, "prompt_version": "p", "code_version": "1",
        "state": "finished" if score is not None else "cancelled", "score": score, "periods_played": 3, "calls": 0,
        "input_tokens": 0, "output_tokens": 0, "cost_nano": 0,
    } | changes  # fmt: skip
    return EvidenceRun(**values)


def evidence(text, runs, **changes):
    file = read_study(text.encode())
    launches = [LaunchState(number, number, "2026-01-01") for number in range(1, len(file.study.launches) + 1)]
    slugs = sorted({record.agent for record in runs})
    values = {
        "study": file.study, "sha256": file.sha256, "registered_at": "", "registered_by": "Ada", "versions": VERSIONS,
        "agents": {slug: {"name": slug.title(), "baseline": slug} for slug in slugs}, "launches": launches, "others": [],
        "runs": tuple(runs),
    } | changes  # fmt: skip
    return Evidence(**values)
