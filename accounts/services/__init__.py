"""Writes, keyword-only and named entity_verb. Here are those that other packages use."""

from accounts.services.audit import audit_record
from accounts.services.endpoints import (
    ENVIRONMENT_KEYS,
    endpoint_create,
    endpoint_delete,
    endpoint_headers,
    endpoint_key,
    endpoint_move,
    endpoint_set_headers,
    endpoint_set_key,
)
from accounts.services.headers import endpoint_has_secret_header
from accounts.services.invitations import invitation_create, invitation_of
from accounts.services.keys import keys_rotate
from accounts.services.members import member_remove, member_set_role
from accounts.services.organizations import organization_create, organization_delete
from accounts.services.people import owner_create

__all__ = [
    "ENVIRONMENT_KEYS",
    "audit_record",
    "endpoint_create",
    "endpoint_delete",
    "endpoint_has_secret_header",
    "endpoint_headers",
    "endpoint_key",
    "endpoint_move",
    "endpoint_set_headers",
    "endpoint_set_key",
    "invitation_create",
    "invitation_of",
    "keys_rotate",
    "member_remove",
    "member_set_role",
    "organization_create",
    "organization_delete",
    "owner_create",
]
