from django.apps import AppConfig
from django.urls import reverse


class AnalysisConfig(AppConfig):
    name = "analysis"

    def ready(self) -> None:
        from accounts.deletions import DeletableKind, kinds
        from analysis.models import Leaderboard
        from analysis.saved.services import leaderboard_undelete

        kinds["leaderboard"] = DeletableKind(
            word="leaderboard",
            model=Leaderboard,
            undelete=lambda *, row, actor: leaderboard_undelete(leaderboard=row, actor=actor),
            address=lambda row: reverse("analysis:saved-leaderboard", args=[row.pk]),
        )
