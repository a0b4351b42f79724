from django.apps import AppConfig


class QuestionsConfig(AppConfig):
    name = "workspace.questions"
    label = "questions"

    def ready(self) -> None:
        from accounts import hooks
        from runs import events
        from workspace.questions import tasks  # noqa: F401  registers the Celery task
        from workspace.questions.models import claims
        from workspace.questions.services import answers_erase, questions_cancel_of

        events.leases_renewing.append(claims.renew)
        events.sweeping.append(claims.sweep)
        events.experiment_removed.append(answers_erase)
        hooks.member_removed.append(questions_cancel_of)
