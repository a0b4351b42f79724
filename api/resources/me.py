from datetime import datetime
from typing import Annotated, Any

from pydantic import Field

from api.auth import ApiRequest
from api.protocol.operations import answers, resource
from api.schemas.base import Out

router = resource("This token")


class Me(Out):
    organization: Annotated[str, Field(examples=["Market Lab"])]
    user: str | None
    """Name of the user that the token acts as; null for a service token of the organization."""
    role: Annotated[str, Field(json_schema_extra={"enum": ["owner", "editor", "viewer"]})]
    token: Annotated[str, Field(examples=["laptop"])]
    scopes: list[str]
    expires_at: datetime


@router.get("/me", response=answers(Me, has_404=False), summary="Get this token's owner and permissions")
def me(request: ApiRequest) -> Any:
    caller = request.auth
    return Me.from_row(
        caller.token,
        role=caller.role,
        organization=caller.organization.name,
        user=caller.user.username if caller.user else None,
        token=caller.token.name,
    )
