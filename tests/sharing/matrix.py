"""What the addresses of sharing answer, by GET and by POST without a body, as in tests/accounts/matrix.py.

A seventh visitor, `share link`, has nothing but the address: LINK_ROWS says what links to each kind of thing and a dead
one answer at each of their addresses.
"""

from typing import Any

EVERYBODY = " ".join(["200"] * 6)
NOBODY_WRITES = " ".join(["405"] * 6)

ROWS: dict[str, tuple[str, str]] = {
    "share/": ("302 200 200 200 200 403", "302 405 405 405 405 403"),
    "share/<str:kind>/<int:target_id>/": ("302 403 200 200 404 403", "302 403 422 422 404 403"),
    "share/links/<int:link_id>/revoke/": ("302 403 405 405 405 403", "302 403 302 302 404 403"),
    "s/<str:token>/": (EVERYBODY, NOBODY_WRITES),
    "s/<str:token>/embed/": (EVERYBODY, NOBODY_WRITES),
    "s/<str:token>/cell/": (" ".join(["404"] * 6), NOBODY_WRITES),
    "s/<str:token>/<str:name>.json": (" ".join(["404"] * 6), NOBODY_WRITES),
    "s/<str:token>/runs/<int:number>/": (EVERYBODY, NOBODY_WRITES),
    "s/<str:token>/runs/<int:number>/<str:name>.json": (EVERYBODY, NOBODY_WRITES),
    "s/<str:token>/runs/<int:number>/notes/": (EVERYBODY, NOBODY_WRITES),
    "s/<str:token>/runs/<int:number>/periods/<int:index>/": (EVERYBODY, NOBODY_WRITES),
}

LINKS = (
    "experiment with notes", "experiment", "run", "leaderboard", "figure", "analysis with notes", "analysis", "revoked",
)  # fmt: skip
LINK_ROWS: dict[str, str] = {
    "": "200 200 200 200 200 200 200 404",
    "embed/": "200 200 200 200 200 200 200 404",
    "cell/?agent=house&environment=procurement&difficulty=BASIC": "404 404 404 200 404 404 404 404",
    "cell/?agent=canary-rival&environment=pricing&difficulty=BASIC": "404 404 404 404 404 404 404 404",
    "strip.json": "404 404 404 200 404 404 404 404",
    "strip.procurement.json": "404 404 404 200 200 404 404 404",
    "strip.pricing.json": "404 404 404 200 404 404 404 404",
    "pareto.json": "404 404 404 404 404 404 404 404",
    "map.json": "404 404 404 404 404 200 200 404",
    "runs/1/": "200 200 200 404 404 404 404 404",
    "runs/2/": "200 200 404 404 404 404 404 404",
    "runs/3/": "404 404 404 404 404 404 404 404",
    "runs/0/": "404 404 404 404 404 404 404 404",
    "runs/1/chart.json": "200 200 200 404 404 404 404 404",
    "runs/1/plane.json": "404 404 404 404 404 404 404 404",
    "runs/1/notes/": "200 404 404 404 404 404 404 404",
    "runs/1/periods/0/": "200 404 404 404 404 404 404 404",
    "runs/1/periods/99/": "404 404 404 404 404 404 404 404",
}


def ids(owner: Any) -> dict[str, Any]:
    """What stands for the placeholders of the rows: a link with notes to an experiment of the organization of `owner`.

    Tokens of invitations are called as those of links are, so the latter stand with what is before them.
    """
    from sharing.services import share_link_create

    organization = owner.organization
    experiment = organization.experiments.order_by("id")[0]
    link, token = share_link_create(
        actor=owner, target=experiment, lasts="30", label=f"{organization.name} link", with_notes=True
    )
    return {
        "/s/<str:token>/": f"/s/{token}/",
        "<str:kind>": "experiment",
        "<int:target_id>": experiment.pk,
        "<int:link_id>": link.pk,
        "<int:number>": 1,
        "<str:name>": "chart",
    }
