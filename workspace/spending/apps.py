from django.apps import AppConfig


class SpendingConfig(AppConfig):
    name = "workspace.spending"
    label = "spending"

    def ready(self) -> None:
        from accounts import hooks
        from runs import events
        from workspace.spending.mail import alerts_queue
        from workspace.spending.services import calls_name_agents

        hooks.messages_queueing.append(alerts_queue)
        events.sweeping_seldom.append(calls_name_agents)
