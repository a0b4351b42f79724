from django.apps import AppConfig


class EpisodesConfig(AppConfig):
    name = "episodes"

    def ready(self) -> None:
        from accounts import hooks
        from episodes import services, tasks
        from episodes.selectors import games_by_opener
        from episodes.services.ending import games_withdraw_of
        from episodes.services.playing import episode_score
        from runs import events

        events.sweeping.append(tasks.sweep)
        events.runs_cancelling.append(services.episodes_lock)
        events.runs_stopped.append(services.episodes_withdraw)
        events.run_scored.append(episode_score)
        events.experiment_deleting.append(services.entry_withdraw)
        hooks.made_by_members.append(games_by_opener)
        hooks.member_removed.append(games_withdraw_of)
        hooks.secrets_rotating.append(services.season_secrets_rotate)
