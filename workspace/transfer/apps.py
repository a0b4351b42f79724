from django.apps import AppConfig


class TransferConfig(AppConfig):
    name = "workspace.transfer"
    label = "transfer"

    def ready(self) -> None:
        from accounts import hooks
        from runs import events
        from workspace.transfer import tasks
        from workspace.transfer.services.uploads import import_claims, uploads_drop

        hooks.member_removed.append(lambda organization, user: uploads_drop(organization=organization, user=user))
        events.leases_renewing.append(import_claims.renew)
        events.sweeping.append(tasks.sweep)
