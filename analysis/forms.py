"""The form that reads a filter of leaderboards and comparisons from a query string."""

from collections.abc import Iterable, Mapping
from typing import Any, Generic, TypeVar, cast

from django import forms
from django.core.exceptions import ValidationError
from django.http import QueryDict

from accounts.models import Organization
from analysis.base.filters import Filter
from analysis.base.selectors import played_agents, played_lengths, played_prompts
from analysis.comparing.comparison import MOST_AGENTS
from environments.generation import is_design
from environments.prompts.variants import is_own
from infrastructure.declared import form_field, set_choices, values_of
from runs.selectors.designs import played_designs
from runs.selectors.experiments import experiment_or_404
from workspace.discussion.models import Tag

MOST_LISTED = 12
"""The most choices that an error message lists."""

NAME_AGENTS = f"Name two to {MOST_AGENTS} agents."

FilterType = TypeVar("FilterType", bound=Filter)


class FilterForm(forms.Form, Generic[FilterType]):
    """The form of a filter. Every field is optional: a missing or invalid value means the default.

    `tag` accepts any number, since only the page that shows the field reads the tags; see `offer_tags`.

    lengths, designs, prompts: see Filter.choices
    """

    def __init__(
        self,
        filter_class: type[FilterType],
        data: QueryDict,
        agents: Iterable[tuple[str, str]] = (),
        lengths: Iterable[int] = (),
        designs: Iterable[str] = (),
        prompts: Iterable[str] = (),
    ):
        super().__init__(_with_defaults(data, filter_class), auto_id="filter-%s")
        self.filter_class = filter_class
        self.fields = {name: form_field(info) for name, info in filter_class.model_fields.items()}
        if "tag" in self.fields:
            self.fields["tag"].widget = forms.Select()
        choices = filter_class.choices(lengths=lengths, designs=list(designs), prompts=prompts)
        for name, pairs in {"agents": list(agents), **choices}.items():
            set_choices(self, name, pairs)
        for field in self.fields.values():
            values = [str(value) for value, _ in getattr(field, "choices", ())]
            if 0 < len(values) <= MOST_LISTED:
                # Django formats the message with %, which a name may contain.
                listed = ", ".join(values).replace("%", "%%")
                field.error_messages["invalid_choice"] = f"%(value)s is not one of {listed}."

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
        return self.filter_class(**values_of(self, self.filter_class))


def _with_defaults(data: QueryDict, filter_class: type[Filter]) -> QueryDict:
    """The query with the defaults of missing values, so that the form shows what the table shows."""
    data = data.copy()
    if not filter_class.TAKES_DESIGNS:
        data.setlist("difficulties", [name for name in data.getlist("difficulties") if not is_design(name)])
    for name, info in filter_class.model_fields.items():
        if info.default and not any(data.getlist(name)):
            default = info.default if isinstance(info.default, tuple) else (info.default,)
            data.setlist(name, list(map(str, default)))
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


def filter_form(
    organization: Organization,
    filter_class: type[FilterType],
    data: QueryDict,
    stored: Mapping[str, Any] | None = None,
) -> FilterForm[FilterType]:
    """The form with the organization's agents and run lengths.

    Values that a leaderboard has stored stay valid choices.
    """
    stored = stored or {}
    agents = dict(played_agents(organization=organization))
    agents |= {slug: slug for slug in stored.get("agents", ()) if slug not in agents}
    lengths = played_lengths(organization=organization) if "periods" in filter_class.model_fields else []
    lengths += [stored["periods"]] if "periods" in stored else []
    plays = filter_class.PLAYS
    designs = played_designs(organization=organization, environments=plays if filter_class.TAKES_DESIGNS else ())
    prompts = played_prompts(organization=organization, environments=plays)
    form = FilterForm(
        filter_class,
        data,
        agents.items(),
        lengths,
        dict.fromkeys([*designs, *designs_in(stored)]),
        dict.fromkeys([*prompts, *prompts_in(stored)]),
    )
    for name, pairs in filter_class.choices_of(organization).items():
        field: Any = form.fields[name]
        set_choices(form, name, [*field.choices, *pairs])
    return form


def checked_filter(organization: Organization, filter_class: type[FilterType], data: QueryDict) -> FilterType:
    """The filter of a query string, for the API and commands. A comparison must name its agents.

    Raises ValidationError by field for wrong values, where a page would use the default; Http404 for an experiment that
    does not exist.
    """
    named = data.getlist("agents")
    existing = set(organization.agents.filter(slug__in=named).values_list("slug", flat=True))
    if unknown := [slug for slug in named if slug not in existing]:
        raise ValidationError({"agents": f"There is no agent {unknown[0]}."})
    # An agent without a run is a valid choice, although pages do not offer it.
    form = filter_form(organization, filter_class, data, {"agents": named})
    if not form.is_valid():
        raise ValidationError(form.errors.as_data())
    if experiment_id := form.cleaned_data.get("experiment"):
        experiment_or_404(organization=organization, experiment_id=experiment_id)
    if filter_class.OF_NAMED_AGENTS and not 2 <= len(named) <= MOST_AGENTS:
        raise ValidationError({"agents": NAME_AGENTS})
    if filter_class.OF_NAMED_AGENTS and len(set(named)) < len(named):
        raise ValidationError({"agents": "Name each agent once."})
    return form.to_filter()


def as_query(filters: dict[str, Any]) -> QueryDict:
    data = QueryDict(mutable=True)
    for name, value in filters.items():
        data.setlist(name, [str(entry) for entry in value] if isinstance(value, list) else [str(value)])
    return data
