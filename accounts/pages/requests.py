"""What views share: the request that they get, what was typed, pages of one form, and the message after a deletion."""

from collections.abc import Callable
from typing import Any, TypeVar

from django import forms
from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.urls import reverse
from django_htmx.middleware import HtmxDetails

from accounts.deletions import Deletable
from accounts.models import Membership, Organization, User


class SiteRequest(HttpRequest):
    """A request of anybody: without a membership both are None, and `memberships` is empty.

    payer: by whom its processor seconds are counted; None if nobody is known
    """

    membership: Membership | None
    organization: Organization | None
    memberships: list[Membership]
    payer: str | None


class MemberRequest(HttpRequest):
    """A request of a signed-in member; `memberships` are all of the person's, by name."""

    user: User
    membership: Membership
    organization: Organization
    memberships: list[Membership]
    htmx: HtmxDetails


def whole(text: str | None, default: int) -> int:
    """A number from the address bar, whatever was typed there."""
    text = (text or "").strip()
    return int(text) if text.isdecimal() and len(text) < 10 else default


def period_problem(text: str | None, last: int) -> str:
    """Why what was typed names no period from 0 to `last`, as a sentence; empty if it does, or if nothing was typed."""
    if not (text := (text or "").strip()) or 0 <= whole(text, -1) <= last:
        return ""
    return f"“{text[:20]}” is not a period of this run. Periods are whole numbers from 0 to {last:,}."


def typed(data: QueryDict, key: str) -> str:
    """A text as typed, without NUL, which PostgreSQL refuses."""
    return data.get(key, "").replace("\x00", "").strip()[:200]


Result = TypeVar("Result")


def form_page(
    request: HttpRequest, form: forms.Form, title: str, lead: str, button: str, second_button: str = ""
) -> HttpResponse:
    """second_button: the label of a button that sends `list` with the form, if any."""
    context = {"form": form, "title": title, "lead": lead, "button": button, "second_button": second_button}
    return render(request, "parts/form_page.html", context, status=422 if form.is_bound else 200)


def submit(form: forms.Form, service: Callable[..., Result], **values: Any) -> Result | None:
    """Call the service with the values of a valid form. Its ValidationError goes to the fields, and the form is invalid."""
    try:
        return service(**values, **form.cleaned_data) if form.is_valid() else None
    except ValidationError as error:
        take_errors(form, error)
        return None


def take_errors(form: forms.Form, error: ValidationError) -> None:
    """Add a service's errors to their fields."""
    by_field = error.message_dict if hasattr(error, "error_dict") else {"": error.messages}
    for field, sentences in by_field.items():
        form.add_error(field if field in form.fields else None, sentences)


def report_deleted(request: HttpRequest, sentence: str, kind: str, *rows: Deletable) -> None:
    """Show a sentence with the button Undo. `kind` is a key of accounts.deletions.kinds."""
    messages.success(
        request, sentence, extra_tags=reverse("dashboard:undelete", args=[kind, ",".join(str(row.pk) for row in rows)])
    )
