from django.apps import AppConfig


class WebhooksConfig(AppConfig):
    name = "workspace.webhooks"
    label = "webhooks"

    def ready(self) -> None:
        from accounts import hooks
        from runs import events
        from workspace.webhooks import outbox
        from workspace.webhooks.delivery.sending import webhooks_reseal
        from workspace.webhooks.selectors import webhooks_by_maker
        from workspace.webhooks.services import webhooks_pause_of

        hooks.made_by_members.append(webhooks_by_maker)
        hooks.member_removed.append(webhooks_pause_of)
        hooks.secrets_rotating.append(webhooks_reseal)
        events.runs_stopped.append(outbox.notify_of_runs)
        events.budget_warned.append(outbox.notify_of_alert)
