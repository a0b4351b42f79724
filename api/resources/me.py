from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from pydantic import Field

from api.auth import READ, ApiRequest
from api.protocol.operations import answers, resource
from api.schemas.base import Out

router = resource("This token")


class Me(Out):
    organization: Annotated[str, Field(examples=["Market Lab"])]
    user: str | None
    """User name of whom the token acts as; null for the organization's own."""
    role: Annotated[str, Field(json_schema_extra={"enum": ["owner", "editor", "viewer"]})]
    token: Annotated[str, Field(examples=["laptop"])]
    scopes: list[str]
    expires_at: datetime


@router.get("/me", auth=READ, response=answers(Me, of_one=False), summary="What this token is and may do")
def me(request: ApiRequest) -> Any:
    caller = request.auth
    return {
        "organization": caller.organization.name,
        "user": caller.user.username if caller.user else None,
        "role": caller.role,
        "token": caller.token.name,
        "scopes": caller.token.scopes,
        "expires_at": caller.token.expires_at,
    }
