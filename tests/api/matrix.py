"""What every operation answers to every kind of token, and pages of the API whose answers do not follow from their guards.

Tokens: none; a viewer's, an editor's and an owner's with all the scopes they can have; another organization's owner's; a
removed member's; an expired one; an owner's without the operation's scope.
"""

import re

TOKENS = ("anonymous", "viewer", "editor", "owner", "foreign owner", "removed member", "expired", "without scope")

READS = "401 200 200 200 200 401 401 403"
"""A list, or what is the same for all organizations."""
READS_ONE = "401 200 200 200 404 401 401 403"
ACTS = "401 403 200 200 200 401 401 403"
ACTS_ON_ONE = "401 403 200 200 404 401 401 403"
OF_A_SEAT = "401 401 401 401 401 401 401 401"
"""Tokens of seats are in tests/runs/episodes."""

OTHERS = {
    **dict.fromkeys(
        (
            *("POST /experiments", "POST /episodes", "POST /prompts", "POST /designs", "POST /watches"),
            *("POST /outside-columns", "POST /registrations"),
        ),
        ACTS.replace("200", "201"),
    ),
    **dict.fromkeys(("POST /agents", "POST /notes-analyses", "POST /questions"), "401 403 201 201 422 401 401 403"),
    "POST /agents/{slug}/duplicate": ACTS_ON_ONE.replace("200", "201"),
    **dict.fromkeys(
        (
            "DELETE /experiments/{experiment_id}",
            "DELETE /notes-analyses/{analysis_id}",
            "DELETE /outside-columns/{column_id}",
            "DELETE /questions/{question_id}",
            "DELETE /watches/{watch_id}",
        ),
        ACTS_ON_ONE.replace("200", "204"),
    ),
    # It is not in stages.
    "POST /experiments/{experiment_id}/stages/continue": ACTS_ON_ONE.replace("200", "422"),
    # They compute and store nothing.
    **dict.fromkeys(("POST /estimate", "POST /estimate/seeds", "POST /notes-analyses/estimate"), READS),
    # Runs of another organization cannot be asked about.
    "POST /questions/estimate": "401 200 200 200 422 401 401 403",
    # The query does not say what to search for or to compare.
    **dict.fromkeys(
        (
            *("GET /search", "GET /compare", "GET /compare/runs", "GET /compare/report"),
            *("GET /compare/litmus", "GET /compare/litmus/figure"),
        ),
        READS.replace("200", "422"),
    ),
    # Episodes need the scope to play.
    "GET /episodes": ACTS,
    **dict.fromkeys(("GET /episodes/{episode_id}", "GET /episodes/{episode_id}/journal"), ACTS_ON_ONE),
}
"""Operations whose answers are not the usual ones."""


def answers_of(operation):
    """The answers of an operation: those in OTHERS, or the usual answers for its method and address."""
    method, path = operation.split()
    if re.match(r"/episode(/|$)", path):
        return OF_A_SEAT
    one = re.search(r"{(\w+_id|slug)}", path)
    usual = (READS_ONE if one else READS) if method == "GET" else (ACTS_ON_ONE if one else ACTS)
    return OTHERS.get(operation, usual)


ROWS = {
    # A personal token is of its owner.
    "account/tokens/<int:token_id>/revoke/": {"post": "302 404 404 302 404 403"},
    "mcp": {"post": "401 401 401 401 401 401"},
    "api/v1/": {"get": "404 404 404 404 404 404", "post": "404 404 404 404 404 404"},
}


def ids(owner):
    """Values for the placeholders of the rows of pages: a personal token of `owner`, a membership."""
    from datetime import timedelta

    from django.utils import timezone

    from api.services import personal_token_create

    expires = timezone.now() + timedelta(days=30)
    name = f"{owner.organization.name} token"
    token, _ = personal_token_create(actor=owner, name=name, scopes=["read"], expires_at=expires)
    return {"<int:token_id>": token.pk, "<slug:season>": "a-season"}
