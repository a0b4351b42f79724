from django.apps import AppConfig


class ApiConfig(AppConfig):
    name = "api"

    def ready(self) -> None:
        from accounts import hooks
        from api import selectors, services

        hooks.member_removed.append(services.tokens_end)
        hooks.ownership_ended.append(services.tokens_forget_maker)
        hooks.tokens_known_to_members.append(selectors.tokens_by_maker)
        hooks.account_claimed.append(services.tokens_end_of_person)
        # This hook comes first, so that no token launches runs while the other hooks empty the organization.
        hooks.organization_deleting.insert(0, services.tokens_end)
