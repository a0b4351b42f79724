"""What layers above want to be told. They add a callable in their AppConfig.ready; accounts imports none of them.

Plain lists instead of signals: a reader finds who listens by searching for the name, and an error is not swallowed.
"""

from __future__ import annotations

from collections.abc import Callable

from accounts.models import Organization, User

organization_created: list[Callable[[Organization], None]] = []
"""Called in the transaction that makes the organization."""

organization_deleting: list[Callable[[Organization], None]] = []
"""Called before the organization is deleted, outside a transaction: stop what runs and delete what refuses to cascade."""

member_removed: list[Callable[[Organization, User], None]] = []
"""Called in the transaction that ends a membership: end the person's tokens and exports of this organization."""
