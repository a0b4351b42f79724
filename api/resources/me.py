from typing import Annotated, Any

from pydantic import Field

from api.auth import ApiRequest
from api.models import ApiToken
from api.protocol.operations import answers, resource
from api.schemas.base import Out

router = resource("This token")


class Me(
    Out,
    rows=(ApiToken,),
    fields="organization user role token scopes expires_at",
    sources={"token": "name"},
    details={"token": Field(examples=["laptop"])},
):
    organization: Annotated[str, Field(examples=["Market Lab"])]
    user: str | None
    """Name of the user that the token acts as; null for a service token of the organization."""
    role: Annotated[str, Field(json_schema_extra={"enum": ["owner", "editor", "viewer"]})]
    scopes: list[str]


@router.get("/me", response=answers(Me, has_404=False), summary="Get this token's owner and permissions")
def me(request: ApiRequest) -> Any:
    caller = request.auth
    user = caller.user.username if caller.user else None
    return Me.from_row(caller.token, role=caller.role, organization=caller.organization.name, user=user)
