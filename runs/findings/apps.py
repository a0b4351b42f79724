from django.apps import AppConfig


class FindingsConfig(AppConfig):
    name = "runs.findings"
    label = "findings"

    def ready(self) -> None:
        from runs import events
        from runs.findings import tasks
        from runs.findings.services import claims, findings_compute_again

        events.run_scored.append(findings_compute_again)
        events.runs_stopped.append(tasks.notify)
        events.sweeping_seldom.append(claims.sweep)
