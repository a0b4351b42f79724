from django.apps import AppConfig


class DriftConfig(AppConfig):
    name = "workspace.drift"
    label = "drift"

    def ready(self) -> None:
        from accounts import hooks
        from runs import events
        from workspace.drift import rounds
        from workspace.drift.selectors import watches_by_maker
        from workspace.drift.services import watches_pause_of, watches_remove

        hooks.made_by_members.append(watches_by_maker)
        # This hook comes first, so that no watch launches runs while the other hooks empty the organization.
        hooks.organization_deleting.insert(0, watches_remove)
        hooks.member_removed.append(watches_pause_of)
        # Ended rounds are closed before due rounds are launched, so that one sweep can do both for a watch.
        events.sweeping_seldom += [rounds.rounds_end, rounds.rounds_launch]
