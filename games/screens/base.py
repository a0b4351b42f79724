"""What the page of a period shows of an environment: tables of what the tools print, and the action as a form."""

import dataclasses
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from django import forms
from django.forms.boundfield import BoundField

from games.screens.turn import PastPeriod, Turn
from infrastructure.figures.theme import PlotlyFigure

Rows = Sequence[Sequence[str]]


@dataclass(frozen=True)
class Grid:
    """A table of texts. text_columns: how many columns at the left hold words; the others hold numbers"""

    columns: Sequence[str]
    rows: Rows
    text_columns: int = 1
    title: str = ""

    @property
    def heads(self) -> list[tuple[str, bool]]:
        """Each heading, and whether its column holds numbers."""
        return [(name, index >= self.text_columns) for index, name in enumerate(self.columns)]

    @property
    def lines(self) -> list[list[tuple[str, str, bool]]]:
        """Each row as (text, heading, whether it is a number)."""
        return [[(text, *head) for text, head in zip(row, self.heads, strict=True)] for row in self.rows]


@dataclass(frozen=True)
class Line:
    """A row of the form: its name, what is known of it, its field. data: numbers for the script of the page"""

    name: str
    cells: Sequence[str]
    field: BoundField
    data: Mapping[str, object] = dataclasses.field(default_factory=dict)


class ActionForm(forms.Form):
    """The action of a period, a field for each name. Fields are called a0, a1, ..., since names are not ours.

    columns: headings of the names, of what is known of them, and of the fields
    text_heads: those of `columns` between them that hold words and not numbers
    kind: how the page's script helps: 'plan' sums costs, 'match' uses each choice once
    """

    columns: ClassVar[Sequence[str]] = ()
    text_heads: ClassVar[Sequence[str]] = ()
    kind: ClassVar[str] = ""

    def __init__(self, turn: Turn, data: Mapping[str, Any] | None = None, typed: Mapping[str, str] | None = None):
        """typed: the values of a draft"""
        super().__init__(data, initial=dict(typed or {}), auto_id="id_%s", use_required_attribute=False)
        self.turn = turn
        self.names = self.field_names()
        for index, name in enumerate(self.names):
            field = self.build_field(name)
            field.label = name
            field.widget.attrs |= {"autocomplete": "off", "data-last": self.last_value(name)}
            self.fields[f"a{index}"] = field

    def field_names(self) -> list[str]:
        """What gets a field."""
        raise NotImplementedError

    def build_field(self, name: str) -> forms.Field:
        raise NotImplementedError

    def cells(self, name: str) -> Sequence[str]:
        """What is known of a name, a text for each column between the name and the field."""
        return ()

    def script_data(self, name: str) -> Mapping[str, object]:
        return {}

    def last_value(self, name: str) -> str:
        """What was chosen in the last period; empty if there is none."""
        return ""

    @property
    def heads(self) -> Sequence[str]:
        return self.columns

    @property
    def middle(self) -> list[tuple[str, bool]]:
        """The headings between names and fields, and whether numbers stand below them."""
        return [(head, head not in self.text_heads) for head in self.heads[1:-1]]

    @property
    def lines(self) -> Iterator[Line]:
        for index, name in enumerate(self.names):
            yield Line(name, self.cells(name), self[f"a{index}"], self.script_data(name))

    @property
    def can_repeat(self) -> bool:
        """Whether the last action may be filled in again."""
        return any(map(self.last_value, self.names))

    def cleaned_values(self) -> dict[str, Any]:
        """The cleaned value of each name."""
        return {name: self.cleaned_data[f"a{index}"] for index, name in enumerate(self.names)}

    def action(self) -> object:
        """The argument of the action tool. Requires a valid form."""
        return self.cleaned_values()


class TextForm(ActionForm):
    """The action as a text, for an environment without a form of its own."""

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
    """The parts of the page that depend on the environment. This one fits every environment: texts instead of tables.

    form: class of the form
    figure_height: in pixels, of the plot of past periods; 0 if there is none
    """

    form: ClassVar[type[ActionForm]] = TextForm
    figure_height: ClassVar[int] = 0

    def tables(self, turn: Turn) -> list[Grid]:
        """Tables beside the form: what the tools print and the form does not show."""
        return []

    def texts(self, turn: Turn) -> list[tuple[str, str]]:
        """Answers of tools: (tool, text). A form of its own shows what they say."""
        return list(turn.texts.items()) if self.form is TextForm else []

    def budget(self, turn: Turn) -> Mapping[str, object]:
        """Numbers for the running total below the form."""
        return {}

    def last(self, last: PastPeriod) -> list[str]:
        """Sentences about the last period."""
        return []

    def history(self, past_periods: Sequence[PastPeriod]) -> Grid:
        """The past periods, at least one, the newest first."""
        names = list(past_periods[-1])
        return Grid(
            names,
            [[str(period.get(name, "")) for name in names] for period in reversed(past_periods)],
            text_columns=len(names),
        )

    def figure(self, past_periods: Sequence[PastPeriod], last: int) -> PlotlyFigure:
        """The past periods as a plot, at least one. last: the end of the x axis"""
        raise NotImplementedError


def plain_number(value: float, digits: int = 2) -> str:
    return f"{value:,.{digits}f}".replace("-", "−")


def natural(name: str) -> list[object]:
    """A key that sorts W2 before W10."""
    return [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", name)]
