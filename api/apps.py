from __future__ import annotations

from typing import Any

from django.apps import AppConfig


class ApiConfig(AppConfig):
    name = "api"

    def ready(self) -> None:
        from accounts import hooks

        hooks.member_removed.append(end_tokens_of_member)
        # Before the others empty the organization, so that nothing is launched into it meanwhile.
        hooks.organization_deleting.insert(0, end_tokens_of_organization)


def end_tokens_of_member(organization: Any, user: Any) -> None:
    from api.services import tokens_end

    tokens_end(organization=organization, user=user)


def end_tokens_of_organization(organization: Any) -> None:
    from api.services import tokens_end

    tokens_end(organization=organization)
