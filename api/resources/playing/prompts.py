from typing import Annotated, Any

from django.db.models import Count, Q, QuerySet
from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from ninja import Query
from pydantic import Field

from api.auth import LAUNCH, ApiRequest
from api.protocol.operations import USUAL, Cursor, Id, IdempotencyKey, Limit, answers, once, page_of, resource
from api.resources.instances import Environment
from api.schemas.base import Out, Page
from environments.registry import EXAMPLE
from infrastructure.schemas import In, Plain
from runs.models import PromptVariant
from runs.services.designs import MOST_PROMPT_NAME, MOST_PROMPT_SLUG, prompt_create

router = resource("Prompts")


class PromptRow(
    Out,
    rows=(PromptVariant,),
    fields="id environment variant base slug name version runs created_at archived_at",
    details={
        "environment": Field(examples=[EXAMPLE]),
        "variant": Field(examples=["main+concise"], description="The name of the prompt in launches and filters."),
        "base": Field(
            examples=["main"],
            description=(
                "The built-in variant that the prompt is based on. It determines rules, seats, length and score."
            ),
        ),
        "slug": Field(examples=["concise"]),
        "version": "Hash of the texts; the same as `prompt_version` of its runs.",
        "archived_at": "Archived prompts cannot be launched.",
    },
):
    runs: int
    """Number of runs that use the prompt. Once there is a run, the texts can no longer change."""

    @classmethod
    def values(cls, row: PromptVariant) -> dict[str, Any]:
        return cls.from_row(row, runs=getattr(row, "number", 0))


class PromptOut(PromptRow):
    texts: dict[str, str]
    """Texts by name: `system`, `initial`, `reply`; `tools.NAME` and `tools.NAME.PARAMETER` are descriptions of tools."""


class PromptIn(In):
    """A new prompt with texts by name. The built-in variant supplies texts that are left out."""

    environment: Annotated[Plain, Field(max_length=60, examples=[EXAMPLE])]
    base: Annotated[Plain, Field(max_length=60, examples=["main"])] = "main"
    """The built-in variant that the prompt is based on."""
    slug: Annotated[Plain, Field(max_length=MOST_PROMPT_SLUG, examples=["concise"])]
    """Lower-case letters, digits and hyphens. The prompt's name in launches is `base+slug`."""
    name: Annotated[Plain, Field(max_length=MOST_PROMPT_NAME, examples=["Shorter"])]
    texts: Annotated[dict[Plain, Plain], Field(max_length=200, examples=[{"reply": "Go on."}])]


def _rows(request: ApiRequest) -> QuerySet[PromptVariant, Any]:
    return PromptVariant.objects.filter(organization=request.auth.organization).annotate(number=Count("runs"))


@router.get("/prompts", response=answers(Page[PromptRow], has_404=False), summary="List own prompts")
def list_prompts(
    request: ApiRequest,
    environment: Annotated[Environment | None, Query()] = None,
    limit: Limit = USUAL,
    cursor: Cursor = None,
) -> Any:
    """List own prompts in the order in which they were added, archived prompts included."""
    rows = _rows(request).filter(Q(environment=environment) if environment else Q()).defer("texts")
    return page_of(request, rows, limit, cursor, PromptRow.values)


@router.post(
    "/prompts", auth=LAUNCH, response=answers(PromptOut, 201, has_404=False, body=True), summary="Add an own prompt"
)
def create_prompt(request: ApiRequest, body: PromptIn, idempotency_key: IdempotencyKey = None) -> HttpResponse:
    """Add a built-in variant with other texts. Each text must contain the placeholders of the text that it replaces."""
    caller = request.auth
    return once(
        request,
        idempotency_key,
        PromptOut,
        body.model_dump,
        lambda values: PromptOut.values(prompt_create(organization=caller.organization, user=caller.user, **values)),
    )


@router.get("/prompts/{int:prompt_id}", response=answers(PromptOut), summary="Get an own prompt")
def get_prompt(request: ApiRequest, prompt_id: Id) -> Any:
    """Return the prompt with its texts."""
    return PromptOut.values(get_object_or_404(_rows(request), pk=prompt_id))
