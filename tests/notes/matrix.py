"""What the addresses of the search and of analyses answer, as in `tests/accounts/matrix.py`."""

READ_ONLY = "302 405 405 405 405 403"
OURS = "302 200 200 200 404 403"
ROWS = {
    "search/": ("302 200 200 200 200 403", READ_ONLY),
    "notes/": ("302 200 200 200 200 403", READ_ONLY),
    "notes/new/": ("302 403 200 200 200 403", "302 403 422 422 422 403"),
    "notes/<int:analysis_id>/": (OURS, READ_ONLY),
    "notes/<int:analysis_id>/live/": (OURS, READ_ONLY),
    "notes/<int:analysis_id>/figure.json": (OURS, READ_ONLY),
    r"^notes/(?P<analysis_id>\d{1,18})/result\.(?P<form>csv|json)$": (OURS, READ_ONLY),
    "notes/<int:analysis_id>/cancel/": ("302 403 405 405 405 403", "302 403 302 302 404 403"),
    "notes/<int:analysis_id>/resume/": ("302 403 405 405 405 403", "302 403 302 302 404 403"),
    "notes/<int:analysis_id>/delete/": ("302 403 405 405 405 403", "302 403 302 302 404 403"),
}


def ids(owner):
    """What stands for the placeholders of the rows: a finished analysis of the organization of `owner`, a membership."""
    from notes.models import NotesAnalysis

    analysis = NotesAnalysis.objects.create(
        organization=owner.organization,
        name=f"{owner.organization.name} analysis",
        filter={"environment": "pricing"},
        created_by=owner.user,
        state="done",
        result={
            "paragraphs": 0, "found": 0, "runs": 0, "agents": [], "clusters": [], "points": [], "preferences": [],
            "sentences": [], "variance": [],
        },
    )  # fmt: skip
    return {
        "<int:analysis_id>": analysis.pk,
        r"^notes/(?P<analysis_id>\d{1,18})/result\.(?P<form>csv|json)$": f"notes/{analysis.pk}/result.csv",
    }
