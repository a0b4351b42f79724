from typing import Annotated, Any

from django.core.exceptions import ValidationError
from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from ninja import Query
from pydantic import AfterValidator, Field

from api.auth import LAUNCH, ApiRequest
from api.protocol.errors import ApiError, error_of_validation, invalid
from api.protocol.operations import USUAL, Cursor, Id, IdempotencyKey, Limit, answers, given, once, page_of, resource
from api.schemas.base import OneOf, Out, Page
from environments.generation import DESIGN, GENERATOR_LABELS, MAX_SEED, base_of
from environments.registry import ENVIRONMENTS, EXAMPLE
from infrastructure.schemas import In, Plain, choices
from runs.launching.checks import difficulty_names
from runs.models import Design, Instance, Proof, ProofState
from runs.models.instances import IS_SEALED
from runs.proofs.words import proof_of
from runs.selectors.designs import design_or_404, designs, offered_designs, runs_of
from runs.services.designs import design_create


def _difficulty(name: str) -> str:
    if base_of(name) not in difficulty_names():
        raise ValueError(f"This must be {', '.join(difficulty_names())} or {DESIGN}SLUG of a design.")
    return name


router = resource("Instances")
Environment = Annotated[str, OneOf(tuple(ENVIRONMENTS))]
Difficulty = Annotated[str, AfterValidator(_difficulty)]
Generator = Annotated[str, OneOf(tuple(GENERATOR_LABELS))]


class InstanceRow(
    Out,
    rows=(Instance,),
    fields="id environment difficulty seed generator",
    details={
        "environment": Field(examples=[EXAMPLE]),
        "difficulty": Field(examples=["BASIC"]),
    },
): ...


class ProofOut(
    Out,
    rows=(Proof,),
    fields="state attempts problem",
    details={
        "attempts": "Number of attempts that have ended.",
        "problem": "Why the search was given up; empty if every attempt ran out of time.",
    },
):
    """The search for a proof that the reference is optimal. Until there is one, runs on the instance have no score."""

    state: ProofState


class InstanceOut(InstanceRow):
    parameters: dict[str, Any]
    """Parameters that an agent can learn from its tools."""
    hidden: dict[str, Any]
    """Parameters that no tool reveals to the agent."""
    reference: dict[str, Any] | None
    """Numbers that scoring needs, such as the optimum; null until a worker has computed them."""
    proof: ProofOut | None
    """null if the first reference was proved optimal or needs no proof."""


@router.get("/instances", response=answers(Page[InstanceRow], has_404=False), summary="List instances")
def list_instances(
    request: ApiRequest,
    environment: Annotated[Environment | None, Query()] = None,
    difficulty: Annotated[Difficulty | None, Query()] = None,
    seed: Annotated[int | None, Query(ge=0, le=MAX_SEED)] = None,
    generator: Annotated[Generator | None, Query()] = None,
    limit: Limit = USUAL,
    cursor: Cursor = None,
) -> Any:
    """List the launched instances in the order of their first launch. Runs of the same instance can be compared."""
    conditions = given(environment=environment, difficulty=difficulty, seed=seed, generator=generator)
    rows = Instance.objects.filter(organization=request.auth.organization, **conditions)
    return page_of(request, rows.only(*InstanceRow.model_fields), limit, cursor, InstanceRow.from_row)


@router.get("/instances/{int:instance_id}", response=answers(InstanceOut), summary="Get an instance")
def get_instance(request: ApiRequest, instance_id: Id) -> Any:
    """One instance with its hidden parameters, which agents do not see; 403 while it is sealed for ranked episodes."""
    row = get_object_or_404(Instance, organization=request.auth.organization, pk=instance_id)
    if row.is_sealed:
        raise ApiError(403, IS_SEALED, code="sealed")
    proof = proof_of(row)
    return InstanceOut.from_row(row, proof=proof and ProofOut.from_row(proof))


class DesignIn(In):
    """Settings of an environment's generator under a name."""

    environment: Annotated[Plain, choices(ENVIRONMENTS)]
    name: Annotated[Plain, Field(max_length=1000, examples=["Six products"])] = ""
    settings: Annotated[dict[Plain, float], Field(max_length=50, examples=[{"products": 6, "nests": 2}])] = {}
    """The settings, as for the difficulty `CUSTOM` in a launch."""


class DesignOut(
    Out,
    rows=(Design,),
    fields="id environment name difficulty settings is_archived created_at",
    sources={"settings": "ordered_settings"},
    details={
        "difficulty": Field(
            examples=["CUSTOM+SIX-PRODUCTS"],
            description=(
                "The name of the design in launches, runs and filters. In a query string, write its plus as `%2B`."
            ),
        )
    },
): ...


class DesignWithRuns(DesignOut):
    runs: int
    """Number of runs that use the design, in all states. Once there is a run, the design can no longer change."""


@router.get("/designs", response=answers(Page[DesignOut], has_404=False), summary="List designs of instances")
def list_designs(
    request: ApiRequest,
    archived: Annotated[bool, Query(description="true: also list designs that launches no longer offer.")] = False,
    limit: Limit = USUAL,
    cursor: Cursor = None,
) -> Any:
    """List your own difficulties, in the order in which they were saved."""
    rows = (designs if archived else offered_designs)(organization=request.auth.organization)
    return page_of(request, rows, limit, cursor, DesignOut.from_row)


@router.post(
    "/designs",
    auth=LAUNCH,
    response=answers(DesignWithRuns, 201, has_404=False, body=True),
    summary="Save a design of instances",
)
def create_design(request: ApiRequest, body: DesignIn, idempotency_key: IdempotencyKey = None) -> HttpResponse:
    """Save your own difficulty, for `difficulties` of launches. Its runs get their own columns on leaderboards."""
    caller = request.auth

    def create(_: None) -> dict[str, Any]:
        try:
            design = design_create(organization=caller.organization, user=caller.user, **body.model_dump())
        except ValidationError as error:
            sentences = error_of_validation(error).fields
            raise invalid(
                {name if name in DesignIn.model_fields else f"settings.{name}": sentences[name] for name in sentences}
            ) from None
        return _whole(design)

    return once(request, idempotency_key, DesignWithRuns, lambda: None, create)


@router.get("/designs/{int:design_id}", response=answers(DesignWithRuns), summary="Get a design of instances")
def get_design(request: ApiRequest, design_id: Id) -> Any:
    """Archived designs are found too. `bin/econevals instance` with the same settings prints the design's instances."""
    return _whole(design_or_404(organization=request.auth.organization, design_id=design_id))


def _whole(design: Design) -> dict[str, Any]:
    return DesignWithRuns.from_row(design, runs=runs_of(design).count())
