from django.apps import AppConfig


class EpisodesConfig(AppConfig):
    name = "runs.episodes"
    label = "episodes"

    def ready(self) -> None:
        from accounts import hooks
        from runs import events
        from runs.episodes import secrets, tasks
        from runs.episodes.selectors import games_by_opener
        from runs.episodes.services import ending
        from runs.episodes.services.playing import episode_score

        events.sweeping.append(tasks.sweep)
        events.runs_cancelling.append(ending.episodes_lock)
        events.runs_stopped.append(ending.episodes_withdraw)
        events.run_scored.append(episode_score)
        events.experiment_deleting.append(ending.entry_withdraw)
        hooks.made_by_members.append(games_by_opener)
        hooks.member_removed.append(ending.games_withdraw_of)
        hooks.secrets_rotating.append(secrets.season_secrets_rotate)
