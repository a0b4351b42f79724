from django.apps import AppConfig
from django.db.models.signals import post_migrate


class NotesConfig(AppConfig):
    name = "analysis.notes"
    label = "notes"

    def ready(self) -> None:
        from analysis.notes import tasks
        from analysis.notes.models import claims
        from analysis.notes.search.indexing import prepare_index
        from analysis.notes.study.services import quotes_erase
        from runs import events

        post_migrate.connect(prepare_index, sender=self)
        events.leases_renewing.append(claims.renew)
        events.sweeping.append(tasks.sweep)
        events.experiment_removed.append(quotes_erase)
