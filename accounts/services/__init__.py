"""Writes, keyword-only and named entity_verb."""

from accounts.services.addresses import account_claim, address_is_proved, address_prove, person_keep_address
from accounts.services.audit import audit_record
from accounts.services.endpoints import (
    ENVIRONMENT_KEYS,
    endpoint_create,
    endpoint_delete,
    endpoint_key,
    endpoint_move,
    endpoint_set_key,
)
from accounts.services.invitations import (
    invitation_accept,
    invitation_accept_new,
    invitation_create,
    invitation_of,
    invitation_revoke,
)
from accounts.services.keys import keys_rotate
from accounts.services.members import member_leave, member_remove, member_set_role
from accounts.services.organizations import (
    organization_allow_environment_keys,
    organization_create,
    organization_delete,
    organization_rename,
)
from accounts.services.people import (
    owner_create,
    person_note_failed_sign_ins,
    person_rename,
    person_sign_out_everywhere,
)

__all__ = [
    "ENVIRONMENT_KEYS",
    "account_claim",
    "address_is_proved",
    "address_prove",
    "audit_record",
    "endpoint_create",
    "endpoint_delete",
    "endpoint_key",
    "endpoint_move",
    "endpoint_set_key",
    "invitation_accept",
    "invitation_accept_new",
    "invitation_create",
    "invitation_of",
    "invitation_revoke",
    "keys_rotate",
    "member_leave",
    "member_remove",
    "member_set_role",
    "organization_allow_environment_keys",
    "organization_create",
    "organization_delete",
    "organization_rename",
    "owner_create",
    "person_keep_address",
    "person_note_failed_sign_ins",
    "person_rename",
    "person_sign_out_everywhere",
]
