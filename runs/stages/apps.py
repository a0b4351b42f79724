from django.apps import AppConfig


class StagesConfig(AppConfig):
    name = "runs.stages"
    label = "stages"

    def ready(self) -> None:
        from runs import events
        from runs.stages import services

        events.experiment_launched.append(services.comparison_create)
        events.runs_stopped.append(services.looks_after_commit)
        events.sweeping_seldom.append(services.looks_take)
