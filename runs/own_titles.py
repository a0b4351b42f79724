"""Titles of own prompts and own designs on the pages of members, who named them."""

from collections.abc import Callable
from functools import cache

from django.http import HttpRequest, HttpResponse

from environments.generation import is_design
from environments.prompts.variants import OWN, own_title
from runs.models import Design, PromptVariant


def own_titles(get_response: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """Middleware that lets pages show own prompts and designs by their titles. One query for each kind that is shown."""

    def answer(request: HttpRequest) -> HttpResponse:
        token = own_title.set(_titles_for(request))
        try:
            return get_response(request)
        finally:
            own_title.reset(token)

    return answer


def _titles_for(request: HttpRequest) -> Callable[[str], str]:
    organization = getattr(request, "organization", None)

    @cache
    def prompts() -> dict[str, str]:
        rows = PromptVariant.objects.filter(organization=organization).order_by("id")
        named = list(rows.values_list("base", "slug", "name"))
        return {key: name for base, slug, name in named for key in (slug, f"{base}{OWN}{slug}")}

    @cache
    def designs() -> dict[str, str]:
        rows = Design.objects.filter(organization=organization)
        return {row.difficulty: row.name for row in rows.only("slug", "name")}

    def title(name: str) -> str:
        if organization is None:
            return name
        if is_design(name):
            return designs().get(name, name)
        base, _, slug = name.partition(OWN)
        if name in prompts():
            return prompts()[name]
        # A competency without texts of its own has the name of the prompt that lacks it.
        return f"{base} of {prompts()[slug]}" if slug in prompts() else name

    return title
