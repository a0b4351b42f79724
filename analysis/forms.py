"""The forms that read the filters of leaderboards and comparisons from a query string."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Generic, TypeVar, cast

from django import forms
from django.http import QueryDict

from analysis.base import filters
from analysis.base.table import DEFAULT_ROWS, Kind
from analysis.models import LeaderboardKind
from environments.base import PERIODS
from environments.generation import GENERATOR_LABELS, MAX_SEED, is_design
from environments.prompts.variants import AS_RUN, is_own, texts_slug, variant_name
from environments.registry import BENCHMARKS, LITMUS_TESTS
from workspace.discussion.models import Tag

MAX_ID = 2**62
ENVIRONMENT_CHOICES = [(name, filters.environment_title(name)) for name in BENCHMARKS]

FilterType = TypeVar("FilterType", bound=filters.LeaderboardFilter)


def chips(label: str, choices: list[tuple[str, str]]) -> forms.MultipleChoiceField:
    return forms.MultipleChoiceField(
        choices=choices, required=False, label=label, widget=forms.CheckboxSelectMultiple()
    )


def set_choices(form: forms.Form, name: str, choices: Sequence[tuple[Any, str]]) -> None:
    cast(forms.ChoiceField, form.fields[name]).choices = choices


class FilterForm(forms.Form, Generic[FilterType]):
    """The form of a filter. Every field is optional: a missing or invalid value means the default.

    `tag` accepts any number, since only the page that shows the field reads the tags; see `offer_tags`.

    designs: difficulties of the organization's own designs. A form without `design_environments` offers none, and
        ignores designs in the query.
    prompts: names of own prompts of the environments in `plays`
    """

    filter_class: type[FilterType]
    plays: tuple[str, ...]  # the environments of the table
    design_environments: ClassVar[tuple[str, ...]] = ()

    rows = chips("Sources", [(kind.value, label) for kind, label in filters.ROW_LABELS.items()])
    generator = forms.ChoiceField(choices=list(GENERATOR_LABELS.items()), required=False, label="Generator")
    start = forms.DateField(required=False, label="Launched from", widget=forms.DateInput({"type": "date"}))
    end = forms.DateField(required=False, label="to", widget=forms.DateInput({"type": "date"}))
    tag = forms.IntegerField(required=False, min_value=1, max_value=MAX_ID, label="Tag", widget=forms.Select())
    mixed = forms.TypedChoiceField(
        choices=list(filters.MIXED.items()), coerce=int, empty_value=None, required=False, label="Conditions"
    )
    agents = chips("Agents", [])
    variant = forms.ChoiceField(required=False, label="Prompt")
    sort = forms.ChoiceField(required=False)

    def __init__(
        self,
        data: QueryDict,
        agents: Iterable[tuple[str, str]] = (),
        lengths: Iterable[int] = (),
        designs: Iterable[str] = (),
        prompts: Iterable[str] = (),
    ):
        super().__init__(with_defaults(self._without_designs(data), self.filter_class), auto_id="filter-%s")
        set_choices(self, "agents", list(agents))
        sorts = list(self.filter_class.SORTS)
        if "difficulties" in self.fields:
            set_choices(self, "difficulties", [(name, name) for name in (*filters.DIFFICULTIES, *designs)])
            sorts += [f"{environment}.{name}" for environment in BENCHMARKS for name in designs]
        if "scope" in self.fields:
            set_choices(self, "scope", [*filters.SCOPES.items(), *((name, f"Own design {name}") for name in designs)])
        set_choices(self, "sort", [(sign + key, key) for key in sorts for sign in ("", "-")])
        if "periods" in self.fields:
            set_choices(self, "periods", [(n, f"{n:,} periods") for n in sorted({PERIODS, *lengths})])

        set_choices(self, "variant", self.variants(prompts))

    def _without_designs(self, data: QueryDict) -> QueryDict:
        if self.design_environments:
            return data
        data = data.copy()
        data.setlist("difficulties", [name for name in data.getlist("difficulties") if not is_design(name)])
        return data

    def variants(self, prompts: Iterable[str]) -> list[tuple[str, str]]:
        """The choices of `variant`."""
        raise NotImplementedError

    @property
    def chips(self) -> list[forms.BoundField]:
        return [self[name] for name in self.filter_class.CHIPS]

    @property
    def more(self) -> list[forms.BoundField]:
        """The fields that are rarely changed."""
        return [self[name] for name in self.filter_class.MORE]

    def clean(self) -> dict[str, Any]:
        cleaned = self.cleaned_data
        if cleaned.get("start") and cleaned.get("end") and cleaned["start"] > cleaned["end"]:
            self.add_error("end", "The last day is before the first.")
        return cleaned

    def to_filter(self) -> FilterType:
        """The filter of the form; a field without a valid value has its default."""
        self.is_valid()
        values: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value
            for name, value in self.cleaned_data.items()
            if value not in (None, "", [])
        }
        return self.filter_class(**values)


class BenchmarkForm(FilterForm[filters.TableFilter]):
    filter_class: type[filters.TableFilter] = filters.TableFilter
    plays = BENCHMARKS
    design_environments = BENCHMARKS

    environments = chips("Environments", ENVIRONMENT_CHOICES)
    difficulties = chips("Difficulties", [(difficulty, difficulty) for difficulty in filters.DIFFICULTIES])
    periods = forms.TypedChoiceField(coerce=int, empty_value=None, required=False, label="Periods")
    chart = forms.ChoiceField(choices=ENVIRONMENT_CHOICES, required=False)

    def variants(self, prompts: Iterable[str]) -> list[tuple[str, str]]:
        return [*filters.variant_choices(), *((prompt, filters.variant_label(prompt)) for prompt in prompts)]


class LitmusForm(FilterForm[filters.LitmusFilter]):
    filter_class = filters.LitmusFilter
    plays = LITMUS_TESTS
    design_environments = LITMUS_TESTS

    scope = forms.ChoiceField(choices=list(filters.SCOPES.items()), required=False, label="Runs")
    experiment = forms.IntegerField(required=False, min_value=0, max_value=MAX_ID)
    agent = forms.CharField(required=False, max_length=200)
    seed = forms.IntegerField(required=False, min_value=0, max_value=MAX_SEED)

    def variants(self, prompts: Iterable[str]) -> list[tuple[str, str]]:
        own = sorted({texts_slug(prompt) for prompt in prompts})
        built_in = [("main", "the paper's prompts"), (AS_RUN, "the texts that the experiments sent")]
        return [*built_in, *((variant_name("main", slug), f"{slug} ({filters.NOT_THE_PAPERS})") for slug in own)]


def with_defaults(data: QueryDict, filter_class: type[filters.LeaderboardFilter]) -> QueryDict:
    """The query with the defaults of missing values, so that the form shows what the table shows."""
    data = data.copy()
    for part in fields(filter_class):
        if part.default and not any(data.getlist(part.name)):
            default = part.default if isinstance(part.default, tuple) else (part.default,)
            data.setlist(part.name, list(map(str, default)))
    return data


def designs_in(stored: Mapping[str, Any]) -> list[str]:
    """The designs that a stored filter names. They stay valid choices."""
    return [name for name in (*stored.get("difficulties", ()), stored.get("scope", "")) if is_design(name)]


def prompts_in(stored: Mapping[str, Any]) -> list[str]:
    """The own prompt that a stored filter names. It stays a valid choice."""
    return [stored["variant"]] if is_own(stored.get("variant", "")) else []


def offer_tags(form: forms.Form, tags: Iterable[Tag]) -> str:
    """Fill the choices of `tag`; return the name of the chosen tag.

    A deleted tag stays chosen, since it still filters.
    """
    names = {tag.pk: tag.name for tag in tags}
    form.is_valid()
    tag_id = form.cleaned_data.get("tag")
    if tag_id:
        names.setdefault(tag_id, "a tag that is gone")
    cast(forms.Select, form.fields["tag"].widget).choices = [("", "Any tag"), *names.items()]
    return names[tag_id] if tag_id else ""


COMPARED_ROWS: tuple[str, ...] = (*DEFAULT_ROWS, Kind.OUTSIDE, Kind.HUMAN)
"""Kinds of rows in a comparison. Its agents are named one by one, so outside agents and people are included."""


@dataclass(frozen=True)
class CompareFilter(filters.TableFilter):
    """The filter of a comparison of benchmarks. `agents` are in the order in which they are compared."""

    rows: tuple[str, ...] = COMPARED_ROWS
    PAGE: ClassVar[str] = "analysis:compare"
    CHIPS: ClassVar[tuple[str, ...]] = ("agents", "environments", "difficulties")
    OF_NAMED_AGENTS: ClassVar[bool] = True


class CompareForm(BenchmarkForm):
    filter_class = CompareFilter


@dataclass(frozen=True)
class CompareLitmusFilter(filters.LitmusFilter):
    """The filter of a comparison of litmus tests. The litmus scores under the main prompt are compared."""

    rows: tuple[str, ...] = COMPARED_ROWS
    PAGE: ClassVar[str] = "analysis:compare-litmus"
    CHIPS: ClassVar[tuple[str, ...]] = ("agents",)
    OF_NAMED_AGENTS: ClassVar[bool] = True


class CompareLitmusForm(LitmusForm):
    filter_class = CompareLitmusFilter


COMPARE_FORMS: dict[str, type[CompareForm | CompareLitmusForm]] = {
    LeaderboardKind.BENCHMARK: CompareForm,
    LeaderboardKind.LITMUS: CompareLitmusForm,
}
