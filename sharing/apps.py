from django.apps import AppConfig


class SharingConfig(AppConfig):
    name = "sharing"

    def ready(self) -> None:
        from accounts import hooks as accounts_hooks
        from analysis.saved import services
        from sharing.selectors import links_by_maker, live_links
        from sharing.services import share_links_revoke_of

        accounts_hooks.made_by_members.append(links_by_maker)
        accounts_hooks.owner_removed.append(share_links_revoke_of)
        services.leaderboard_shared.append(lambda leaderboard: live_links(leaderboard).count())
