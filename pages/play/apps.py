from django.apps import AppConfig


class PlayConfig(AppConfig):
    name = "pages.play"
    label = "play"

    def ready(self) -> None:
        from accounts import hooks
        from pages.play.selectors import open_links_by_maker
        from pages.play.services.studies import open_links_revoke_of

        hooks.made_by_members.append(open_links_by_maker)
        hooks.member_removed.append(open_links_revoke_of)
