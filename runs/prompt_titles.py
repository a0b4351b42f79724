"""Titles of own prompts on the pages of members, who named them."""

from collections.abc import Callable
from functools import cache

from django.http import HttpRequest, HttpResponse

from environments.prompts.variants import OWN, own_title
from runs.models import PromptVariant


def prompt_titles(get_response: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """Middleware that lets pages show own prompts by their titles. One query, on pages that show an own prompt."""

    def answer(request: HttpRequest) -> HttpResponse:
        token = own_title.set(_titles_for(request))
        try:
            return get_response(request)
        finally:
            own_title.reset(token)

    return answer


def _titles_for(request: HttpRequest) -> Callable[[str], str]:
    @cache
    def titles() -> dict[str, str]:
        organization = getattr(request, "organization", None)
        if organization is None:
            return {}
        rows = PromptVariant.objects.filter(organization=organization).order_by("id")
        named = list(rows.values_list("base", "slug", "name"))
        return {key: name for base, slug, name in named for key in (slug, f"{base}{OWN}{slug}")}

    def title(name: str) -> str:
        base, _, slug = name.partition(OWN)
        if name in titles():
            return titles()[name]
        # A competency without texts of its own has the name of the prompt that lacks it.
        return f"{base} of {titles()[slug]}" if slug in titles() else name

    return title
