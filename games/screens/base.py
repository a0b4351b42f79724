"""Parts of the page of a period that depend on the environment: tables of tool answers, and a form for the action."""

import dataclasses
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from django import forms
from django.forms.boundfield import BoundField

from games.screens.turn import PastPeriod, Turn
from infrastructure.figures.theme import PlotlyFigure
from infrastructure.text.tables import Table, text_table


@dataclass(frozen=True)
class Line:
    """A row of the form: a name, known values, and a field. `data`: numbers for the script of the page."""

    name: str
    cells: Sequence[str]
    field: BoundField
    data: Mapping[str, object] = dataclasses.field(default_factory=dict)


class ActionForm(forms.Form):
    """The action of a period as a form with a field for each name, such as a product.

    Fields are called a0, a1, and so on, because names come from outside.

    columns: headings of the names, of the known values and of the fields, in this order
    text_heads: headings of known values that are words and not numbers
    kind: help by the page's script: 'plan' sums costs, 'match' uses each choice once
    """

    columns: ClassVar[Sequence[str]] = ()
    text_heads: ClassVar[Sequence[str]] = ()
    kind: ClassVar[str] = ""

    def __init__(self, turn: Turn, data: Mapping[str, Any] | None = None, typed: Mapping[str, str] | None = None):
        """Make the form. `typed`: the values of a draft."""
        super().__init__(data, initial=dict(typed or {}), auto_id="id_%s", use_required_attribute=False)
        self.turn = turn
        self.names = self.field_names()
        for index, name in enumerate(self.names):
            field = self.build_field(name)
            field.label = name
            field.widget.attrs |= {"autocomplete": "off", "data-last": self.last_value(name)}
            self.fields[f"a{index}"] = field

    def field_names(self) -> list[str]:
        """The names that get a field."""
        raise NotImplementedError

    def build_field(self, name: str) -> forms.Field:
        raise NotImplementedError

    def cells(self, name: str) -> Sequence[str]:
        """The known values of a name: a text for each column between the name and the field."""
        return ()

    def script_data(self, name: str) -> Mapping[str, object]:
        return {}

    def last_value(self, name: str) -> str:
        """The value of a name in the last action; empty if there is none."""
        return ""

    @property
    def heads(self) -> Sequence[str]:
        return self.columns

    @property
    def middle(self) -> list[tuple[str, bool]]:
        """(heading, whether the column contains numbers) of each column between names and fields."""
        return [(head, head not in self.text_heads) for head in self.heads[1:-1]]

    @property
    def lines(self) -> Iterator[Line]:
        for index, name in enumerate(self.names):
            yield Line(name, self.cells(name), self[f"a{index}"], self.script_data(name))

    @property
    def can_repeat(self) -> bool:
        """Whether the form offers to fill in the last action again."""
        return any(map(self.last_value, self.names))

    def cleaned_values(self) -> dict[str, Any]:
        """The cleaned value of each name."""
        return {name: self.cleaned_data[f"a{index}"] for index, name in enumerate(self.names)}

    def action(self) -> object:
        """The argument of the action tool. Requires a valid form."""
        return self.cleaned_values()


class TextForm(ActionForm):
    """The action as a text, for environments without their own form."""

    def field_names(self) -> list[str]:
        return [self.turn.view.action_argument]

    def build_field(self, name: str) -> forms.Field:
        return forms.CharField(
            max_length=10_000,
            widget=forms.Textarea({"rows": 4, "class": "wide"}),
            error_messages={"required": "Write your action, as the tool describes it."},
        )

    def action(self) -> object:
        return self.cleaned_data["a0"]


class Screen:
    """The parts of the page that depend on the environment. This base class fits all: it shows texts instead of tables.

    form: class of the form
    figure_height: height of the plot of past periods in pixels; 0 without a plot
    """

    form: ClassVar[type[ActionForm]] = TextForm
    figure_height: ClassVar[int] = 0

    def tables(self, turn: Turn) -> list[Table]:
        """Tables beside the form, with the tool answers that the form does not show."""
        return []

    def texts(self, turn: Turn) -> list[tuple[str, str]]:
        """(tool, text) of each tool answer to show. An environment's own form shows their content instead."""
        return list(turn.texts.items()) if self.form is TextForm else []

    def budget(self, turn: Turn) -> Mapping[str, object]:
        """Numbers for the running total below the form."""
        return {}

    def last(self, last: PastPeriod) -> list[str]:
        """Sentences about the last period."""
        return []

    def history(self, past_periods: Sequence[PastPeriod]) -> Table:
        """The table of the past periods, the newest first. Requires at least one."""
        names = list(past_periods[-1])
        return text_table(
            names,
            [[str(period.get(name, "")) for name in names] for period in reversed(past_periods)],
            text_columns=len(names),
        )

    def figure(self, past_periods: Sequence[PastPeriod], last: int) -> PlotlyFigure:
        """A plot of the past periods, of which there must be at least one. `last`: the end of the x axis."""
        raise NotImplementedError


def plain_number(value: float, digits: int = 2) -> str:
    return f"{value:,.{digits}f}".replace("-", "−")


def natural(name: str) -> list[object]:
    """A sort key for natural order, which sorts W2 before W10."""
    return [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", name)]
