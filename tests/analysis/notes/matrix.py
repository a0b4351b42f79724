"""Values for the placeholders of the addresses of analyses. All answers follow from the guards."""

ROWS = {}


def ids(owner):
    """Values for the placeholders of the rows: a finished analysis of the organization of `owner`, a membership."""
    from analysis.notes.models import NotesAnalysis

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
