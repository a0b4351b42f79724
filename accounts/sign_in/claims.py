"""Claim an account after its address was proved, and tell the person about it."""

import logging
from typing import Any

from django.contrib import messages
from django.http import HttpRequest

from accounts.models import User
from accounts.services.people import account_claim

logger = logging.getLogger("econevals.signing_in")


def claim_account(request: HttpRequest, *, user: User, way: str, **options: Any) -> None:
    """Call `account_claim`. If it ended other access, show what was ended and the organizations of the account."""
    ended = account_claim(user=user, way=way, **options)
    if ended is None:
        return
    logger.info("The address of %s was proved by %s; ended: %s.", user.username, way, ", ".join(ended) or "nothing")
    if ended:
        names = user.memberships.values_list("organization__name", flat=True)
        member = f" The account is a member of {', '.join(names)}; leave what you do not know." if names else ""
        messages.warning(
            request,
            f"Until now nobody had proved to own {user.email}, so somebody else may have set this account up. "
            f"It is proved by {way}. To be safe, this was ended: {', '.join(ended)}.{member}",
        )
