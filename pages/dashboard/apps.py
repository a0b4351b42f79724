from django.apps import AppConfig
from django.urls import reverse


class DashboardConfig(AppConfig):
    name = "pages.dashboard"
    label = "dashboard"

    def ready(self) -> None:
        from accounts.deletions import DeletableKind, kinds
        from accounts.hooks import member_removed
        from accounts.services.deletions import deleted_remove
        from pages.dashboard import services
        from pages.dashboard.models import RunView
        from runs import events
        from runs.models import Agent, Experiment
        from runs.services.deletions import agent_undelete, experiment_undelete, open_calls_close, runs_lock

        kinds["experiment"] = DeletableKind(
            word="experiment",
            model=Experiment,
            undelete=lambda *, row, actor: experiment_undelete(experiment=row, actor=actor),
            address=lambda row: reverse("dashboard:experiment", args=[row.pk]),
            before_removal=open_calls_close,
            after_removal=events.experiment_removed,
            locks=runs_lock,
        )
        kinds["agent"] = DeletableKind(
            word="agent",
            model=Agent,
            undelete=lambda *, row, actor: agent_undelete(agent=row, actor=actor),
            address=lambda row: reverse("analysis:agent", args=[row.slug]),
        )
        kinds["view"] = DeletableKind(
            word="view of runs",
            model=RunView,
            undelete=lambda *, row, actor: services.run_view_undelete(view=row),
            address=lambda row: f"{reverse('dashboard:runs')}?{row.query}",
            is_personal=True,
        )
        events.sweeping_seldom.append(deleted_remove)
        member_removed.append(services.run_views_leave)
