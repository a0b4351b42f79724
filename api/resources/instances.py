from __future__ import annotations

from typing import Annotated, Any

from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from pydantic import Field

from api.auth import READ
from api.operations import Id, answers, resource
from api.schemas.base import Out
from runs.models import Instance

router = resource("Instances")


class InstanceOut(Out):
    id: int
    environment: Annotated[str, Field(examples=["pricing"])]
    difficulty: Annotated[str, Field(examples=["BASIC"])]
    seed: int
    generator: str
    parameters: dict[str, Any]
    """What an agent may learn from its tools."""
    hidden: dict[str, Any]
    """What it may not."""
    reference: dict[str, Any] | None
    """What scoring needs, such as the optimum; null until a worker has computed it."""


@router.get("/instances/{int:instance_id}", auth=READ, response=answers(InstanceOut), summary="Get an instance")
def get_instance(request: HttpRequest, instance_id: Id) -> Any:
    """One problem, with the truth that agents do not see."""
    row = get_object_or_404(Instance, organization=request.auth.organization, pk=instance_id)
    same = ("environment", "difficulty", "seed", "generator", "parameters", "hidden", "reference")
    return {"id": row.pk} | {name: getattr(row, name) for name in same}
