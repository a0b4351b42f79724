from django.apps import AppConfig


class FindingsConfig(AppConfig):
    name = "findings"

    def ready(self) -> None:
        from findings import tasks
        from findings.services import findings_compute_again
        from runs import events

        events.run_scored.append(findings_compute_again)
        events.runs_stopped.append(tasks.notify)
        events.sweeping_seldom.append(tasks.sweep)
