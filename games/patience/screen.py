"""Screen of patience versus impatience: a choice between A and B for each question."""

from collections.abc import Mapping

from django import forms

from environments.survey import Question
from games.screens.base import ActionForm, Screen


class AnswersForm(ActionForm):
    """Form with a choice of A or B for each question."""

    columns = ("Question", "Choice")
    kind = "answers"

    def field_names(self) -> list[str]:
        self.questions: Mapping[str, Question] = {question.key: question for question in self.turn.questions}
        return list(self.questions)

    def build_field(self, name: str) -> forms.Field:
        question = self.questions[name]
        # Users' own prompts may describe the options differently.
        texts = question.options if all(text in question.prompt for text in question.options) else ("", "")
        return forms.ChoiceField(
            choices=[
                (letter, f"{letter}: {text}" if text else letter) for letter, text in zip("AB", texts, strict=True)
            ],
            widget=forms.RadioSelect,
            error_messages=dict.fromkeys(("required", "invalid_choice"), "Choose A or B."),
        )


class PatienceScreen(Screen):
    form = AnswersForm
