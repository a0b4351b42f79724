"""Writes of saved views of runs: keyword-only functions named entity_verb."""

from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction

from accounts.models import Organization, User
from accounts.services.deletions import row_hide, row_show
from pages.dashboard.models import RunView

MOST_NAME, MOST_QUERY = 60, 1_000
MOST_VIEWS = 50
"""The most views of one person in an organization; each is a line of a menu."""


def run_view_save(*, organization: Organization, user: User, query: str, name: str, is_shared: bool) -> RunView:
    """Save a view.

    Raises ValidationError for the field name, or without a field if there are too many views or filters.
    """
    if len(query) > MOST_QUERY:
        raise ValidationError("These filters are too long to be saved.")
    if RunView.objects.filter(organization=organization, user=user).count() >= MOST_VIEWS:
        raise ValidationError(f"A person keeps at most {MOST_VIEWS} views. Delete one first.")
    view = RunView(organization=organization, user=user, query=query)
    run_view_change(view=view, name=name, is_shared=is_shared)
    return view


def run_view_change(*, view: RunView, name: str, is_shared: bool) -> None:
    """Store the name of a view, and whether it is shared. Raises ValidationError for the field name."""
    name = " ".join(name.split())
    if not 1 <= len(name) <= MOST_NAME or not name.isprintable():
        raise ValidationError({"name": f"A name has 1 to {MOST_NAME} characters."})
    view.name, view.is_shared = name, is_shared
    try:
        with transaction.atomic():
            view.save(update_fields=None if view._state.adding else ["name", "is_shared"])
    except IntegrityError:
        raise ValidationError({"name": "You have a view of this name already."}) from None


def run_view_delete(*, view: RunView, actor: User) -> bool:
    """Hide a view. Returns False if it was deleted already."""
    return row_hide(row=view, actor=actor)


def run_view_undelete(*, view: RunView) -> bool:
    """Show a view again. Returns False if it is not deleted. Raises ValidationError if its name was taken meanwhile."""
    try:
        with transaction.atomic():
            return row_show(row=view)
    except IntegrityError:
        raise ValidationError(
            f"Another view is called {view.name} now. Rename that one, then undo the deletion."
        ) from None


def run_views_leave(organization: Organization, user: User) -> None:
    """Remove a former member's views that nobody else sees. A listener of accounts.hooks.member_removed."""
    RunView.with_deleted.filter(organization=organization, user=user, is_shared=False).delete()
