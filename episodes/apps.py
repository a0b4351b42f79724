from django.apps import AppConfig


class EpisodesConfig(AppConfig):
    name = "episodes"

    def ready(self) -> None:
        from accounts import hooks
        from episodes import services, tasks
        from runs import events

        events.sweeping.append(tasks.sweep)
        events.runs_cancelling.append(services.episodes_lock)
        events.runs_stopped.append(services.episodes_withdraw)
        events.experiment_deleting.append(services.entry_withdraw)
        hooks.secrets_rotating.append(services.season_secrets_rotate)
