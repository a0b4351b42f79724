from typing import Annotated, Any

from django.shortcuts import get_object_or_404
from ninja import Query
from pydantic import Field

from api.auth import ApiRequest
from api.protocol.operations import USUAL, Cursor, Id, Limit, answers, page_of, resource
from api.schemas.base import OneOf, Out, Page
from environments.generation import GENERATOR_WORDS, MAX_SEED
from environments.registry import ENVIRONMENTS, EXAMPLE
from runs.launching.plan import difficulty_names
from runs.models import Instance

router = resource("Instances")
Environment = Annotated[str, OneOf(tuple(ENVIRONMENTS))]
Difficulty = Annotated[str, OneOf(tuple(difficulty_names()))]
Generator = Annotated[str, OneOf(tuple(GENERATOR_WORDS))]


class InstanceRow(Out):
    id: int
    environment: Annotated[str, Field(examples=[EXAMPLE])]
    difficulty: Annotated[str, Field(examples=["BASIC"])]
    seed: int
    generator: str


class InstanceOut(InstanceRow):
    parameters: dict[str, Any]
    """What an agent may learn from its tools."""
    hidden: dict[str, Any]
    """What it may not."""
    reference: dict[str, Any] | None
    """What scoring needs, such as the optimum; null until a worker has computed it."""


@router.get("/instances", response=answers(Page[InstanceRow], of_one=False), summary="List instances")
def list_instances(
    request: ApiRequest,
    environment: Annotated[Environment | None, Query()] = None,
    difficulty: Annotated[Difficulty | None, Query()] = None,
    seed: Annotated[int | None, Query(ge=0, le=MAX_SEED)] = None,
    generator: Annotated[Generator | None, Query()] = None,
    limit: Limit = USUAL,
    cursor: Cursor = None,
) -> Any:
    """The problems that were launched, in the order of their first launch; runs on the same one are compared."""
    asked = {"environment": environment, "difficulty": difficulty, "seed": seed, "generator": generator}
    wanted = {name: value for name, value in asked.items() if value is not None}
    rows = Instance.objects.filter(organization=request.auth.organization, **wanted)
    rows = rows.only(*InstanceRow.model_fields)
    return page_of(request, rows, limit, cursor, InstanceRow.from_row)


@router.get("/instances/{int:instance_id}", response=answers(InstanceOut), summary="Get an instance")
def get_instance(request: ApiRequest, instance_id: Id) -> Any:
    """One problem, with the truth that agents do not see."""
    row = get_object_or_404(Instance, organization=request.auth.organization, pk=instance_id)
    return InstanceOut.from_row(row)
