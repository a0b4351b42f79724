"""Helpers for views: types of requests, typed values, pages with one form, and the message after a deletion."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
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
    """A request of anybody. Without a membership, `membership` and `organization` are None and `memberships` is empty.

    payer: the key under which its processor seconds are counted; None if the sender is unknown
    """

    membership: Membership | None
    organization: Organization | None
    memberships: list[Membership]
    payer: str | None


class MemberRequest(HttpRequest):
    """A request of a signed-in member. `memberships` are all memberships of the person, by name."""

    user: User
    membership: Membership
    organization: Organization
    memberships: list[Membership]
    htmx: HtmxDetails


def whole(text: str | None, default: int) -> int:
    """Return the text as a whole number; the default if it is not one or has 10 digits or more."""
    text = (text or "").strip()
    return int(text) if text.isdecimal() and len(text) < 10 else default


def period_problem(text: str | None, last: int) -> str:
    """Return a sentence if the typed text is not a period from 0 to `last`; "" if it is one, or if it is empty."""
    if not (text := (text or "").strip()) or 0 <= whole(text, -1) <= last:
        return ""
    return f"“{text[:20]}” is not a period of this run. Periods are whole numbers from 0 to {last:,}."


def typed(data: QueryDict, key: str) -> str:
    """Return at most 200 characters of a typed text, without NUL, which PostgreSQL refuses."""
    return data.get(key, "").replace("\x00", "").strip()[:200]


Result = TypeVar("Result")


def form_page(
    request: HttpRequest, form: forms.Form, title: str, lead: str, button: str, second_button: str = ""
) -> HttpResponse:
    """Render a page with one form. `second_button`: the label of another submit button, which adds the field `list`."""
    return render(
        request,
        "parts/form_page.html",
        {"form": form, "title": title, "lead": lead, "button": button, "second_button": second_button},
        status=422 if form.is_bound else 200,
    )


def posted(request: HttpRequest) -> QueryDict | None:
    """Return the data for a form: what was sent by POST; None for a request that only shows the form."""
    return request.POST if request.method == "POST" else None


def submit(form: forms.Form, service: Callable[..., Result], **values: Any) -> Result | None:
    """Call the service with the values of a valid form, and return its result.

    A ValidationError of the service is added to the form. The result is None if the form is, or becomes, invalid.
    """
    try:
        return service(**values, **form.cleaned_data) if form.is_valid() else None
    except ValidationError as error:
        take_errors(form, error)
        return None


def sentences_by_field(error: ValidationError, general: str = "") -> dict[str, list[str]]:
    """Return the sentences of a ValidationError by field; those about no field under the name `general`."""
    return error.message_dict if hasattr(error, "error_dict") else {general: error.messages}


@contextmanager
def errors_shown(request: HttpRequest) -> Iterator[None]:
    """Show the first sentence of a ValidationError as a message, and go on after the block."""
    try:
        yield
    except ValidationError as error:
        messages.error(request, error.messages[0])


def take_errors(form: forms.Form, error: ValidationError) -> None:
    """Add the errors of a service to the fields of the form. Errors of other fields go to the form as a whole."""
    for field, sentences in sentences_by_field(error).items():
        form.add_error(field if field in form.fields else None, sentences)


def report_deleted(request: HttpRequest, sentence: str, kind: str, *rows: Deletable) -> None:
    """Show a message with an Undo button that restores the rows. `kind` is a key of accounts.deletions.kinds."""
    messages.success(
        request, sentence, extra_tags=reverse("dashboard:undelete", args=[kind, ",".join(str(row.pk) for row in rows)])
    )
