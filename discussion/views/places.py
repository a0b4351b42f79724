"""The experiment, run or period that an address names, for what is put on any of them."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.db import IntegrityError
from django.http import Http404, HttpResponse

from accounts.pages.requests import MemberRequest
from discussion.places import Place
from runs.selectors.experiments import experiment_or_404
from runs.selectors.runs import run_or_404

View = Callable[..., HttpResponse]


def place_or_404(
    request: MemberRequest, *, experiment_id: int | None = None, run_id: int | None = None, index: int | None = None
) -> Place:
    """Foreign ones are as absent as those never made. A period is there as soon as its page is."""
    if experiment_id is not None:
        return Place(experiment_or_404(organization=request.organization, experiment_id=experiment_id))
    run = run_or_404(organization=request.organization, run_id=run_id)
    if index is not None and index >= run.periods:
        raise Http404("A run has no such period.")
    return Place(run, index)


def gone_is_404(view: View) -> View:
    """What was deleted while somebody wrote about it is not there any more."""

    @wraps(view)
    def guarded(request: MemberRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        try:
            return view(request, *args, **kwargs)
        except IntegrityError:
            raise Http404("This was deleted meanwhile.") from None

    return guarded
