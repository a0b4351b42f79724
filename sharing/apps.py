from django.apps import AppConfig


class SharingConfig(AppConfig):
    name = "sharing"

    def ready(self) -> None:
        from analysis import hooks
        from sharing.selectors import live_links

        hooks.leaderboard_shared.append(lambda leaderboard: live_links(leaderboard).count())
