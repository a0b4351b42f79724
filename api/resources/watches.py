from typing import Annotated, Any, Literal

from django.http import HttpResponse
from pydantic import Field

from api.auth import LAUNCH, ApiRequest
from api.protocol.errors import invalid
from api.protocol.operations import USUAL, Cursor, Id, IdempotencyKey, Limit, answers, once, page_of, resource
from api.schemas.base import Out, Page
from api.schemas.experiments import Done
from environments.registry import EXAMPLE
from infrastructure.money import nano
from infrastructure.schemas import In, Plain, choices
from runs.launching.fields import Generator, Periods
from runs.launching.plan import LaunchError
from runs.launching.request import Budget, Difficulty, Environment, LaunchIn, Variant, request_as_plan
from workspace.drift import services
from workspace.drift.models import Interval, Notice, Round, Watch
from workspace.drift.selectors import RoundRow, watch_detail_json, watch_json, watch_or_404, watches_of

How = Annotated[Plain, choices(Interval.values)]


class WatchIn(In):
    """Settings of a watch for drift: the agent, the instances that it replays, the interval and the budget."""

    agent: Annotated[Plain, Field(max_length=200, examples=["random"])] = ""
    """Slug of the agent."""
    environments: Annotated[list[Environment], Field(max_length=50, examples=[[EXAMPLE]])] = []
    """A benchmark environment; litmus tests cannot be watched."""
    difficulties: Annotated[list[Difficulty], Field(max_length=50, examples=[["BASIC"]])] = []
    seeds: Annotated[Plain, Field(max_length=2000, examples=["0-11"])] = ""
    variant: Variant = "main"
    periods: Periods = None
    generator: Generator = "published"
    interval: How = str(Interval.MONTH)
    budget_usd: Budget = None
    """Budget of a round. A round that is expected to cost more is not launched. A round pauses when its budget is spent."""


class WatchOut(
    Out,
    rows=(Watch,),
    fields="id agent interval state reason budget_usd baseline due_at",
    nullable="due_at",
    details={
        "reason": "Why the watch was paused or ended; empty if a person did it.",
        "baseline": "Number of the current baseline, counted from 1.",
        "due_at": "When the next round is launched; null for a watch that is not active.",
    },
):
    """A watch for drift."""

    agent: str
    environments: list[str]
    difficulties: list[str]
    seeds: str
    variants: list[str]
    periods: int | None
    generator: str


class RoundOut(
    Out,
    rows=(Round, RoundRow),
    sources={"round": "number"},
    fields="round baseline in_baseline state experiment score calls created_at n difference p level can_tell",
    details={
        "in_baseline": "Whether later rounds are compared with this round.",
        "experiment": "Number of the round's experiment; null for a round that was not launched.",
        "score": "Mean score of the round's instances, in points of 100.",
        "n": "Number of instances with a score both in this round and in the baseline.",
        "difference": "Mean score of this round minus the baseline's, over the `n` instances, in points of 100.",
        "level": "The largest `p` that counts as a change.",
        "can_tell": "Whether `p` is certain to be at most `level` if all `n` scores change in one direction.",
    },
):
    """One replay of the watched instances. In a baseline round, `n` and the fields after it are null."""

    calls: dict[str, dict[str, int]]
    """Numbers of calls by the `model`, service `tier` and `upstream` that answered."""


class NoticeOut(Out, rows=(Notice,), fields="kind round sentence"): ...


class WatchWithRounds(WatchOut):
    rounds: list[RoundOut]
    notices: list[NoticeOut]
    """Notices that nobody has marked as seen, newest first."""


class SeenIn(In):
    new_baseline: bool = False
    """true: the next rounds are due at once and become the baseline of later rounds."""


router = resource("Drift")
WATCH = "/watches/{int:watch_id}"
FIELDS = {"agents": "agent", "variants": "variant", "budget": "budget_usd"}
"""Field names of a launch, with the name of the same field in a watch."""


def _watch(request: ApiRequest, watch_id: int) -> Watch:
    return watch_or_404(organization=request.auth.organization, watch_id=watch_id)


@router.get("/watches", response=answers(Page[WatchOut], has_404=False), summary="List watches for drift")
def list_watches(request: ApiRequest, limit: Limit = USUAL, cursor: Cursor = None) -> Any:
    """List watches, newest first."""
    return page_of(request, watches_of(organization=request.auth.organization), limit, cursor, watch_json, newest=True)


@router.post(
    "/watches", auth=LAUNCH, response=answers(WatchOut, 201, has_404=False, body=True), summary="Watch an agent"
)
def create_watch(request: ApiRequest, body: WatchIn, idempotency_key: IdempotencyKey = None) -> HttpResponse:
    """The rounds of the baseline are launched within a minute, and each further round after the interval."""
    caller = request.auth
    whose: dict[str, Any] = {"organization": caller.organization, "user": caller.user}

    def prepare() -> dict[str, Any]:
        launch = LaunchIn(
            agents=[body.agent] if body.agent else [],
            variants=[body.variant],
            **body.model_dump(exclude={"agent", "variant", "interval", "budget_usd"}),
        )
        try:
            watch_values: dict[str, Any] = {
                "plan": request_as_plan(launch, caller.organization),
                "interval": body.interval,
                "budget_nano": nano(body.budget_usd),
            }
            services.watch_prepare(**whose, **watch_values)
        except LaunchError as error:
            raise invalid({FIELDS.get(name, name): error.errors[name] for name in error.errors}) from None
        return watch_values

    return once(
        request,
        idempotency_key,
        WatchOut,
        prepare,
        lambda watch_values: watch_json(services.watch_create(**whose, **watch_values)),
    )


@router.get(WATCH, response=answers(WatchWithRounds), summary="Get a watch with its rounds")
def get_watch(request: ApiRequest, watch_id: Id) -> Any:
    return watch_detail_json(_watch(request, watch_id))


@router.delete(WATCH, auth=LAUNCH, response=answers(None, 204), summary="Delete a watch")
def delete_watch(request: ApiRequest, watch_id: Id) -> HttpResponse:
    """The experiments of its rounds stay, and their runs continue."""
    services.watch_delete(watch=_watch(request, watch_id))
    return HttpResponse(status=204)


@router.post(f"{WATCH}/seen", auth=LAUNCH, response=answers(Done, body=True), summary="Mark its notices as seen")
def see_notices(request: ApiRequest, watch_id: Id, body: SeenIn) -> Any:
    """Mark all notices of the watch as seen. `changed` is the number of notices."""
    watch = _watch(request, watch_id)
    baseline = watch.baseline if body.new_baseline else None
    return {"changed": services.notices_see(watch=watch, user=request.auth.user, after_baseline=baseline)}


@router.post(f"{WATCH}/{{action}}", auth=LAUNCH, response=answers(WatchOut), summary="Pause or resume a watch")
def act_on_watch(request: ApiRequest, watch_id: Id, action: Literal["pause", "resume"]) -> Any:
    """Runs that are being played continue. Repeating the request changes nothing."""
    watch = _watch(request, watch_id)
    if action == "resume":
        services.watch_resume(watch=watch, user=request.auth.user)
    else:
        services.watch_pause(watch=watch)
    return watch_json(_watch(request, watch_id))
