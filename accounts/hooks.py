"""Lists of callables that this package calls when something changes. Higher packages add theirs in AppConfig.ready.

These are plain lists instead of signals: searching for a list's name finds its listeners, and errors are not swallowed.
"""

from collections.abc import Callable

from accounts.models import Organization, User
from accounts.secrets import Rotation

organization_created: list[Callable[[Organization], None]] = []
"""Called in the transaction that makes the organization."""

organization_deleting: list[Callable[[Organization], None]] = []
"""Called outside a transaction, before the organization is deleted. Stop active work; delete rows that block a cascade."""

member_removed: list[Callable[[Organization, User], None]] = []
"""Called in the transaction that ends a membership. End the person's tokens and exports in this organization."""

owner_removed: list[Callable[[Organization, User], None]] = []
"""Called after `member_removed` if the person was an owner. Revoke what reaches outsiders in the person's name."""

account_claimed: list[Callable[[User], str]] = []
"""Called in the transaction in which a person proves that an account is theirs. End every access that somebody else may
have prepared. Return a description of what was ended, or an empty text."""

made_by_members: list[Callable[[Organization], dict[int, list[str]]]] = []
"""Return, by user id, descriptions of what each person made that acts outside of the site, such as webhooks. When the
person is removed, a listener of `member_removed` stops these."""

tokens_known_to_members: list[Callable[[Organization], dict[int, list[str]]]] = []
"""Return the names of the organization's tokens, by the user id of the person who made them."""

ownership_ended: list[Callable[[Organization, User, User], list[str]]] = []
"""Called in the transaction in which a person stops being an owner or a member. Arguments: organization, person, actor.
Revoke the organization's tokens that the person has seen, and return the names of these tokens."""

messages_queueing: list[Callable[[], None]] = []
"""Called every few seconds by a thread of each worker. Queue messages of the listener's package in accounts.outbox."""

secrets_rotating: list[Callable[[Rotation], None]] = []
"""Called when stored secrets are encrypted again. Renew the secrets of the listener's package, and count them."""
