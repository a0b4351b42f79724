"""Answers of the pages of registrations that do not follow from the guards of their views."""

# Not every run has ended, so they lead to the page of the registration.
UNFINISHED = {"get": "302 302 302 302 404 403"}

ROWS = {f"registrations/<int:registration_id>/{name}/": UNFINISHED for name in ("report", "archive")}


def ids(owner):
    """Values for the placeholders of the rows: a registration of the organization of `owner`, a membership."""
    from pages.registrations.file import STUDY_EXAMPLE
    from pages.registrations.models import Registration

    name = owner.organization.name
    row = Registration.objects.create(
        organization=owner.organization,
        title=f"{name} study",
        text=STUDY_EXAMPLE.replace("Ada Example", name),
        sha256="0" * 64,
        planned=1,
        versions={"code": "1", "prompts": {}, "agents": {}},
        registered_by=owner.user,
    )
    return {"<int:registration_id>": row.pk}
