"""Lists of callables by which packages above hear of changes. They add theirs in AppConfig.ready.

Plain lists instead of signals: a reader finds who listens by searching for the name, and an error is not swallowed.
"""

from collections.abc import Callable

from accounts.models import Organization, User
from accounts.secrets import Rotation

organization_created: list[Callable[[Organization], None]] = []
"""Called in the transaction that makes the organization."""

organization_deleting: list[Callable[[Organization], None]] = []
"""Called before the organization is deleted, outside a transaction: stop what runs and delete what refuses to cascade."""

member_removed: list[Callable[[Organization, User], None]] = []
"""Called in the transaction that ends a membership: end the person's tokens and exports of this organization."""

owner_removed: list[Callable[[Organization, User], None]] = []
"""Called beside member_removed if the person was an owner: revoke what reaches people outside in their name."""

account_claimed: list[Callable[[User], str]] = []
"""Called in the transaction in which a person proves that an account is theirs. End every access that somebody else may have
prepared, and return what was ended in words, or an empty text."""

made_by_members: list[Callable[[Organization], dict[int, list[str]]]] = []
"""Return by person, in words, what they made that acts outside of the site and stops when they are removed. The stop is a
listener of `member_removed`."""

tokens_known_to_members: list[Callable[[Organization], dict[int, list[str]]]] = []
"""Return the names of the organization's tokens by the person who made them."""

ownership_ended: list[Callable[[Organization, User, User], list[str]]] = []
"""Called in the transaction in which a person (second argument) stops being an owner or member, with the actor (third).
Revoke the organization's tokens that the person has seen, and return their names."""

messages_queueing: list[Callable[[], None]] = []
"""Called every few seconds by a thread of each worker: queue the messages of the layer in accounts.outbox."""

secrets_rotating: list[Callable[[Rotation], None]] = []
"""Called when stored secrets are encrypted again: do so with the package's own secrets and count them."""
