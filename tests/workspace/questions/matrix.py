"""Values for the placeholders of the addresses of questions. All answers follow from the guards."""

from tests.questions import question_of

ROWS = {}


def ids(owner):
    from runs.models import Run

    question = question_of(Run.objects.filter(organization=owner.organization).first())
    return {
        "<int:question_id>": question.pk,
        r"^questions/(?P<question_id>\d{1,18})/answer\.(?P<form>csv|json)$": f"questions/{question.pk}/answer.csv",
    }
