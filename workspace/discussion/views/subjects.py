"""The experiment, run or period that a URL names."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.db import IntegrityError
from django.http import Http404, HttpResponse

from accounts.pages.requests import MemberRequest
from runs.selectors.experiments import experiment_or_404, run_or_404
from workspace.discussion.subjects import Subject

View = Callable[..., HttpResponse]


def subject_or_404(
    request: MemberRequest, *, experiment_id: int | None = None, run_id: int | None = None, index: int | None = None
) -> Subject:
    """The subject of a URL. 404 for other organizations.

    A period exists as soon as its page does, before it is played.
    """
    if experiment_id is not None:
        return Subject(experiment_or_404(organization=request.organization, experiment_id=experiment_id))
    assert run_id is not None
    run = run_or_404(organization=request.organization, run_id=run_id)
    if index is not None and index >= run.periods:
        raise Http404("A run has no such period.")
    return Subject(run, index)


def deleted_is_404(view: View) -> View:
    """Decorate a view: answer 404 if the subject is deleted during the request."""

    @wraps(view)
    def guarded(request: MemberRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        try:
            return view(request, *args, **kwargs)
        except IntegrityError:
            raise Http404("This was deleted meanwhile.") from None

    return guarded
