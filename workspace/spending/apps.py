from django.apps import AppConfig


class SpendingConfig(AppConfig):
    name = "workspace.spending"
    label = "spending"

    def ready(self) -> None:
        from accounts import hooks
        from workspace.spending.mail import alerts_queue

        hooks.messages_queueing.append(alerts_queue)
