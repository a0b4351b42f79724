"""Answers of sharing that do not follow from the guards of its views.

A seventh visitor, `share link`, has nothing but the address: LINK_ROWS says what links to each kind of thing and a dead
one answer at each of their addresses.
"""

ROWS = {
    # The link is to an experiment, which has neither cells nor charts of its own.
    "s/<str:token>/cell/": {"get": "404 404 404 404 404 404"},
    "s/<str:token>/<str:name>.json": {"get": "404 404 404 404 404 404"},
}

LINKS = (
    "experiment with notes", "experiment", "run", "leaderboard", "figure", "analysis with notes", "analysis", "revoked",
)  # fmt: skip
LINK_ROWS = {
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


def ids(owner):
    """Values for the placeholders of the rows: a link with notes to an experiment of the organization of `owner`.

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
