from django.apps import AppConfig


class PlayConfig(AppConfig):
    name = "play"

    def ready(self) -> None:
        from accounts import hooks
        from play.selectors import open_links_by_maker
        from play.services.studies import open_links_revoke_of

        hooks.made_by_members.append(open_links_by_maker)
        hooks.member_removed.append(open_links_revoke_of)
