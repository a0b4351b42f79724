from __future__ import annotations

from typing import Any

from django.apps import AppConfig

from infrastructure.text.formats import counted


class ApiConfig(AppConfig):
    name = "api"

    def ready(self) -> None:
        from accounts import hooks

        hooks.member_removed.append(end_tokens_of_member)
        hooks.ownership_ended.append(end_tokens_made_by)
        hooks.tokens_known_to_members.append(tokens_known_to_members)
        hooks.account_claimed.append(end_tokens_of_person)
        # Before the others empty the organization, so that nothing is launched into it meanwhile.
        hooks.organization_deleting.insert(0, end_tokens_of_organization)


def end_tokens_of_member(organization: Any, user: Any) -> None:
    from api.services import tokens_end

    tokens_end(organization=organization, user=user)


def end_tokens_made_by(organization: Any, maker: Any, actor: Any) -> list[str]:
    from api.services import tokens_forget_maker

    return tokens_forget_maker(organization=organization, maker=maker, actor=actor)


def tokens_known_to_members(organization: Any) -> dict[int, list[str]]:
    from api.selectors import tokens_by_maker

    return tokens_by_maker(organization=organization)


def end_tokens_of_person(user: Any) -> str:
    from api.services import tokens_end_of_person

    ended = tokens_end_of_person(user=user)
    return counted(ended, "API token,API tokens") if ended else ""


def end_tokens_of_organization(organization: Any) -> None:
    from api.services import tokens_end

    tokens_end(organization=organization)
