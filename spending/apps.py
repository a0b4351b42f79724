from django.apps import AppConfig


class SpendingConfig(AppConfig):
    name = "spending"

    def ready(self) -> None:
        from accounts import hooks
        from spending.mail import mail_alerts

        hooks.mail_sending.append(mail_alerts)
