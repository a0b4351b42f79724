from django.apps import AppConfig


class FindingsConfig(AppConfig):
    name = "findings"

    def ready(self) -> None:
        from findings import tasks
        from runs import events

        events.runs_stopped.append(tasks.notify)
        events.sweeping_seldom.append(tasks.sweep)
