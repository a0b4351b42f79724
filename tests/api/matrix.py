"""What every operation and page answers to everybody.

Operations, by the kind of token: none; a viewer's, an editor's and an owner's with all the scopes they can have; another
organization's owner's; a removed member's; an expired one; an owner's without the operation's scope. Pages: GET and POST
without a body, as in tests/accounts/matrix.py.
"""

from typing import Any

TOKENS = ("anonymous", "viewer", "editor", "owner", "foreign owner", "removed member", "expired", "without scope")

READS = "401 200 200 200 200 401 401 403"
"""A list, or what is the same for all organizations."""
READS_ONE = "401 200 200 200 404 401 401 403"
ACTS = "401 403 200 200 200 401 401 403"
ACTS_ON_ONE = "401 403 200 200 404 401 401 403"
OF_A_SEAT = "401 401 401 401 401 401 401 401"
"""Tokens of seats are in tests/episodes."""


OPERATIONS: dict[str, str] = {
    "GET /me": READS,
    "GET /experiments": READS,
    "POST /experiments": "401 403 201 201 201 401 401 403",
    "POST /estimate": READS,
    "POST /estimate/seeds": READS,
    "POST /experiments/{experiment_id}/stages/continue": "401 403 422 422 404 401 401 403",
    "GET /experiments/{experiment_id}": READS_ONE,
    "PATCH /experiments/{experiment_id}": ACTS_ON_ONE,
    "DELETE /experiments/{experiment_id}": "401 403 204 204 404 401 401 403",
    "POST /experiments/{experiment_id}/undelete": ACTS_ON_ONE,
    "POST /experiments/{experiment_id}/{action}": ACTS_ON_ONE,
    "GET /experiments/{experiment_id}/export": READS_ONE,
    "GET /experiments/{experiment_id}/report": READS_ONE,
    "GET /experiments/{experiment_id}/ledger": READS_ONE,
    "GET /runs": READS,
    "GET /runs/{run_id}": READS_ONE,
    "PATCH /runs/{run_id}": ACTS_ON_ONE,
    "POST /runs/{run_id}/{action}": ACTS_ON_ONE,
    "GET /runs/{run_id}/export": READS_ONE,
    "GET /runs/{run_id}/periods": READS_ONE,
    "GET /runs/{run_id}/periods/{index}": READS_ONE,
    "GET /runs/{run_id}/periods/{index}/transcript": READS_ONE,
    "GET /runs/{run_id}/notes": READS_ONE,
    "GET /runs/{run_id}/findings": READS_ONE,
    "GET /findings": READS,
    "GET /runs/{run_id}/figure": READS_ONE,
    "GET /runs/{run_id}/plane": READS_ONE,
    "GET /leaderboards": READS,
    "GET /leaderboards/{leaderboard_id}": READS_ONE,
    "GET /leaderboards/benchmark": READS,
    "GET /search": "401 422 422 422 422 401 401 403",
    "GET /notes-analyses": READS,
    "POST /notes-analyses": "401 403 201 201 422 401 401 403",
    "POST /notes-analyses/estimate": READS,
    "GET /notes-analyses/{analysis_id}": READS_ONE,
    "POST /notes-analyses/{analysis_id}/cancel": ACTS_ON_ONE,
    "POST /notes-analyses/{analysis_id}/resume": ACTS_ON_ONE,
    "DELETE /notes-analyses/{analysis_id}": "401 403 204 204 404 401 401 403",
    "GET /compare": "401 422 422 422 422 401 401 403",
    "GET /compare/runs": "401 422 422 422 422 401 401 403",
    "GET /mechanisms": READS,
    "GET /tables": READS,
    "GET /tables/agents": READS,
    "GET /tables/litmus": READS,
    "GET /figures": READS,
    "GET /compare/litmus/figure": "401 422 422 422 422 401 401 403",
    "GET /experiments/{experiment_id}/figures/scores": READS_ONE,
    "GET /experiments/{experiment_id}/figures/progress": READS_ONE,
    "GET /agents/{slug}/figures/scores": READS_ONE,
    "GET /agents/{slug}/figures/litmus": READS_ONE,
    "GET /compare/report": "401 422 422 422 422 401 401 403",
    "GET /compare/litmus": "401 422 422 422 422 401 401 403",
    "GET /leaderboards/benchmark/figure": READS,
    "GET /leaderboards/litmus": READS,
    "GET /leaderboards/litmus/pareto": READS,
    "GET /leaderboards/litmus/patience": READS,
    "GET /leaderboards/litmus/names": READS,
    "GET /leaderboards/litmus/markets": READS,
    "GET /agents": READS,
    "POST /agents": "401 403 201 201 422 401 401 403",
    "GET /agents/{slug}": READS_ONE,
    "PATCH /agents/{slug}": ACTS_ON_ONE,
    "POST /agents/{slug}/duplicate": "401 403 201 201 404 401 401 403",
    "POST /agents/{slug}/archive": ACTS_ON_ONE,
    "POST /agents/{slug}/unarchive": ACTS_ON_ONE,
    "GET /agents/{slug}/history": READS_ONE,
    "PUT /agents/{slug}/prices": ACTS_ON_ONE,
    "GET /endpoints": READS,
    "POST /episodes": "401 403 201 201 201 401 401 403",
    "GET /episodes": ACTS,
    "GET /episodes/{episode_id}": ACTS_ON_ONE,
    "GET /episodes/{episode_id}/journal": ACTS_ON_ONE,
    "GET /seasons": READS,
    "GET /seasons/{season}": READS,
    "GET /episode": OF_A_SEAT,
    "GET /episode/periods/{index}": OF_A_SEAT,
    "POST /episode/periods/{index}/calls": OF_A_SEAT,
    "PUT /episode/periods/{index}/action": OF_A_SEAT,
    "POST /episode/resign": OF_A_SEAT,
    "GET /prompts": READS,
    "POST /prompts": "401 403 201 201 201 401 401 403",
    "GET /prompts/{prompt_id}": READS_ONE,
    "GET /instances": READS,
    "GET /instances/{instance_id}": READS_ONE,
    "GET /designs": READS,
    "POST /designs": "401 403 201 201 201 401 401 403",
    "GET /designs/{design_id}": READS_ONE,
}

ROWS: dict[str, tuple[str, str]] = {
    "account/tokens/": ("302 200 200 200 200 403", "302 422 422 422 422 403"),
    "account/tokens/<int:token_id>/revoke/": ("302 405 405 405 405 403", "302 404 404 302 404 403"),
    "organization/tokens/": ("302 403 403 200 200 403", "302 403 403 422 422 403"),
    "organization/tokens/<int:token_id>/revoke/": ("302 403 403 405 405 403", "302 403 403 302 404 403"),
    "api/v1/openapi.json": ("200 200 200 200 200 200", "405 405 405 405 405 405"),
    "api/v1/docs": ("200 200 200 200 200 200", "405 405 405 405 405 405"),
    "mcp": ("405 405 405 405 405 405", "401 401 401 401 401 401"),
    "api/v1/": ("404 404 404 404 404 404", "404 404 404 404 404 404"),
}
"""`<int:token_id>` is a token of the owner's. Addresses of operations are in OPERATIONS."""


def ids(owner: Any) -> dict[str, Any]:
    """What stands for the placeholders of the rows of pages: a personal token of `owner`, a membership."""
    from datetime import timedelta

    from django.utils import timezone

    from api.services import personal_token_create

    expires = timezone.now() + timedelta(days=30)
    name = f"{owner.organization.name} token"
    token, _ = personal_token_create(actor=owner, name=name, scopes=["read"], expires_at=expires)
    return {"<int:token_id>": token.pk, "<slug:season>": "a-season"}
