"""Answers of sharing that do not follow from the guards of its views.

A seventh visitor, `share link`, has nothing but the address: LINK_ROWS says what links to each kind of thing and a dead
one answer at each of their addresses.
"""

EVERYBODY_NONE = "404 404 404 404 404 404"
OWNER_NONE = "302 403 403 404 404 403"

ROWS = {
    # The link is to an experiment, which has neither cells nor charts of its own.
    "s/<str:token>/cell/": {"get": EVERYBODY_NONE},
    "s/<str:token>/<str:name>.json": {"get": EVERYBODY_NONE},
    # Previews in chats are for public links.
    "s/<str:token>/picture.png": {"get": EVERYBODY_NONE},
    # So is the entry of the gallery.
    "results/<slug:gallery>/<slug:entry>/cell/": {"get": EVERYBODY_NONE},
    "results/<slug:gallery>/<slug:entry>/<str:name>.json": {"get": EVERYBODY_NONE},
    # A preview shows the gallery of one's own organization. The foreign owner's has no such entry.
    **{
        f"organization/gallery/preview/<slug:entry>/{page}": {"get": "302 403 403 200 404 403"}
        for page in (
            *("", "picture.png", "runs/<int:number>/", "runs/<int:number>/<str:name>.json"),
            *("runs/<int:number>/notes/", "runs/<int:number>/periods/<int:index>/"),
        )
    },
    "organization/gallery/preview/<slug:entry>/cell/": {"get": OWNER_NONE},
    "organization/gallery/preview/<slug:entry>/<str:name>.json": {"get": OWNER_NONE},
    # A wrong form is shown again.
    "organization/gallery/entries/": {"post": "302 403 403 422 422 403"},
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
    "picture.png": "404 404 404 404 404 404 404 404",
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
    """Values for the placeholders of the rows: a link with notes to an experiment of the organization of `owner`, and an
    open gallery with it.

    Tokens of invitations are called as those of links are, so the latter stand with what is before them.
    """
    from sharing.gallery.selectors import entry_rows, gallery_of, version_of
    from sharing.gallery.services import entry_add, gallery_open
    from sharing.services import share_link_create

    organization = owner.organization
    experiment = organization.experiments.order_by("id")[0]
    link, token = share_link_create(
        actor=owner, target=experiment, lasts="30", label=f"{organization.name} link", with_notes=True
    )
    entry = entry_add(actor=owner, target=experiment, with_notes=True)
    gallery = gallery_of(organization)
    gallery_open(actor=owner, version=version_of(gallery, entry_rows(gallery)))
    return {
        "<slug:gallery>": gallery.slug,
        "<slug:entry>": entry.slug,
        "<int:entry_id>": entry.pk,
        "/s/<str:token>/": f"/s/{token}/",
        "<str:kind>": "experiment",
        "<int:target_id>": experiment.pk,
        "<int:link_id>": link.pk,
        "<int:number>": 1,
        "<str:name>": "chart",
    }
