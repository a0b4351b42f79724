"""Authentication by `Authorization: Bearer ee_…`. Sessions and cookies are ignored."""

import time
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, cast

from allauth.core.internal.ratelimit import get_ip
from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.db.models import OuterRef, Q, Subquery
from django.http import HttpRequest
from django.utils import timezone
from ninja.security import HttpBearer

from accounts.middleware import payer_of
from accounts.models import Membership, Organization, Role, User
from accounts.pages.requests import MemberRequest, SiteRequest
from accounts.secrets import token_hash
from api.models import ApiToken, Scope
from api.protocol.errors import ApiError
from api.services import PREFIX
from infrastructure.limits import COMPUTING_SECONDS, computing_wait, counted
from infrastructure.transactions import write_transaction
from runs.episodes.models import Seat
from runs.episodes.selectors import seat_by_token

USED_EVERY = timedelta(minutes=1)
"""The time of the last use is stored at most this often, to save writes."""

FAILED_WINDOW = 300
FAILED_ATTEMPTS = 30
"""The most wrong tokens from one address in FAILED_WINDOW seconds. Further wrong tokens are
answered 429; valid tokens are accepted."""


def _limit(key: str, most: int, window: int, sentence: str) -> None:
    """Count a request. Raises ApiError 429 if there were more than `most` within `window` seconds."""
    if counted(key, window) > most:
        wait = window - int(time.time()) % window
        raise ApiError(429, f"{sentence} Wait {wait} s.", headers={"Retry-After": str(wait)})


def _count_request(request: HttpRequest, key: str, who: str, payer: str) -> None:
    """Count a request with a valid token, and its processor seconds for a payer. Raises ApiError 429 if there are too many.

    key: names the token; who: what it is the token of, in words
    """
    most = settings.API_REQUESTS_A_MINUTE
    _limit(key, most, 60, f"{who} makes at most {most:,} requests a minute.")
    if wait := computing_wait(payer):
        raise ApiError(
            429,
            f"These requests took more than {COMPUTING_SECONDS} seconds of the site's processor within a minute. "
            f"Wait {wait} s.",
            headers={"Retry-After": str(wait)},
        )
    cast(SiteRequest, request).payer = payer


def _count_failure(request: HttpRequest) -> None:
    """Count a wrong token. Raises ApiError 429 if there were too many from this address."""
    try:
        # allauth counts an IPv6 network as one address, since its owner can send from any of its addresses.
        address = get_ip(request)
    except PermissionDenied:
        address = "unknown"
    sentence = "Too many requests from this address came with a wrong token."
    _limit(f"api:failed:{address}", FAILED_ATTEMPTS, FAILED_WINDOW, sentence)


@dataclass(frozen=True)
class ServiceName:
    """Stands in for the user if a service token acts, as in 'Paused by nightly (token)'."""

    name: str

    def get_full_name(self) -> str:
        return f"{self.name} (token)"


@dataclass(frozen=True)
class Caller:
    """The sender of a request. `user` is None for a service token; `actor` is the name in texts such as 'Paused by'."""

    token: ApiToken
    organization: Organization
    role: str
    user: User | None

    @property
    def actor(self) -> Any:
        return self.user or ServiceName(self.token.name)

    def may_read(self) -> bool:
        """Whether the token is still valid. Long downloads check this repeatedly."""
        return _caller(pk=self.token.pk) is not None


class ApiRequest(MemberRequest):
    """The type of a request with a valid token, for type checkers only. Bearer sets `auth`."""

    auth: Caller


class Bearer(HttpBearer):
    """Requires a valid token with the needed scope, and a role that allows this scope."""

    openapi_bearerFormat = "ee_…"
    openapi_description = "A token from Your account or, for an organization's own, from Organization, API tokens."

    def __init__(self, scope: Scope):
        super().__init__()
        self.scope = scope

    def authenticate(self, request: HttpRequest, token: str) -> Caller:
        """The caller of the token; also sets `request.organization`. Raises ApiError 401, 403 or 429.

        A request made by an MCP tool already has its caller.
        """
        authenticated = getattr(request, "auth", None)
        caller = authenticated if isinstance(authenticated, Caller) else _counted_caller(request, token)
        if self.scope not in caller.token.scopes:
            raise ApiError(403, f"This needs a token with the scope “{self.scope}”.")
        if self.scope != Scope.READ and caller.role not in {Role.OWNER, Role.EDITOR}:
            raise ApiError(403, "This needs the role of an editor; this token acts as a viewer.")
        cast(ApiRequest, request).organization = caller.organization
        return caller


def _counted_caller(request: HttpRequest, token: str) -> Caller:
    """The caller of a token, after counting the request. Raises ApiError 401 or 429."""
    is_well_formed = token.startswith(PREFIX) and len(token) <= 100
    caller = _caller(token_hash=token_hash(token)) if is_well_formed else None
    if caller is None:
        _count_failure(request)
        raise ApiError(
            401, "This token is not valid: it is wrong, expired or revoked, or its person is no longer a member."
        )
    payer = payer_of(caller.user) if caller.user else f"token:{caller.token.pk}"
    _count_request(request, f"api:requests:{caller.token.pk}", "A token", payer)
    now, used = timezone.now(), caller.token.last_used_at
    if used is None or used < now - USED_EVERY:
        stale = Q(last_used_at=None) | Q(last_used_at__lt=now - USED_EVERY)
        with write_transaction():
            ApiToken.objects.filter(stale, pk=caller.token.pk).update(last_used_at=now)
    return caller


READ, LAUNCH, MANAGE, PLAY = map(Bearer, (Scope.READ, Scope.LAUNCH, Scope.MANAGE, Scope.PLAY))


class SeatRequest(HttpRequest):
    """The type of a request with a seat's token, for type checkers only. SeatBearer sets `auth`."""

    auth: Seat


class SeatBearer(HttpBearer):
    """Requires the token of a seat. It permits only the operations of the seat's episode."""

    openapi_bearerFormat = "ep_…"
    openapi_description = "The token of a seat, from the answer that opened its episode."

    def authenticate(self, request: HttpRequest, token: str) -> Seat:
        """The seat of the token. Raises ApiError 401 or 429."""
        seat = seat_by_token(token)
        if seat is None:
            _count_failure(request)
            raise ApiError(
                401,
                "This is not the token of a seat: Authorization: Bearer ep_…, from the answer that opened the episode.",
            )
        _count_request(request, f"api:seat:{seat.pk}", "A seat", f"seat:{seat.pk}")
        return seat


SEAT = SeatBearer()


def _caller(**which: Any) -> Caller | None:
    """The caller of a token.

    The membership is read at each request, so a removed member's token fails at once. One query.
    """
    membership = Membership.objects.filter(organization=OuterRef("organization"), user=OuterRef("user"))
    tokens = ApiToken.objects.select_related("organization", "user").filter(ApiToken.alive_now())
    token = tokens.annotate(members_role=Subquery(membership.values("role"))).filter(**which).first()
    if token is None:
        return None
    if token.user is None:
        return Caller(token, token.organization, token.role, None)
    if token.members_role is None or not token.user.is_active:
        return None
    return Caller(token, token.organization, token.members_role, token.user)
