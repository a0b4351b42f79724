"""What layers above want to be told. They add a callable in their AppConfig.ready; accounts imports none of them.

Plain lists instead of signals: a reader finds who listens by searching for the name, and an error is not swallowed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from accounts.models import Organization, User

if TYPE_CHECKING:
    from accounts.services.keys import Rotation

organization_created: list[Callable[[Organization], None]] = []
"""Called in the transaction that makes the organization."""

organization_deleting: list[Callable[[Organization], None]] = []
"""Called before the organization is deleted, outside a transaction: stop what runs and delete what refuses to cascade."""

member_removed: list[Callable[[Organization, User], None]] = []
"""Called in the transaction that ends a membership: end the person's tokens and exports of this organization."""

account_claimed: list[Callable[[User], str]] = []
"""Called in the transaction in which a person proves to be the one an account was made for: end every way into it that
somebody else may have made, and say in words what was ended, or nothing."""

tokens_known_to_members: list[Callable[[Organization], dict[int, list[str]]]] = []
"""The names of the organization's own tokens, by the person who made and so has seen them."""

ownership_ended: list[Callable[[Organization, User, User], list[str]]] = []
"""Called in the transaction in which a person, given second, stops being an owner or a member, with who did it: revoke
the organization's own tokens that they have seen, and return the names."""

secrets_rotating: list[Callable[[Rotation], None]] = []
"""Called when stored secrets are sealed anew: do so with those of the layer, and count them."""
