"""The data of the pages of own prompts."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from django.core.paginator import Page, Paginator
from django.db.models import Count, Q
from django.urls import reverse

from accounts.models import Organization
from agents.rehearsal import prompt_texts
from environments.prompts.own import OwnPrompts, label_of
from environments.prompts.variants import variant_name
from environments.registry import BENCHMARKS, ENVIRONMENTS, generate
from infrastructure.paging import LIST_PAGE
from infrastructure.text.differences import Piece, differences
from infrastructure.text.slugs import ascii_slug
from pages.dashboard.selectors.lists import order_of, with_words
from runs.models import PromptVariant
from runs.services.designs import MOST_PROMPT_SLUG

SORTS = {
    "name": ("name", "id"),
    "environment": ("environment", "base", "slug"),
    "runs": ("number", "id"),
    "made": ("id",),
}
STATES = {"used": "In use", "draft": "Drafts", "archived": "Archived"}


def prompts_page(
    *,
    organization: Organization,
    text: str = "",
    environment: str = "",
    state: str = "",
    sort: str = "name",
    page: str | None = None,
) -> Page[Any]:
    """A page of PromptVariant with the `number` of their runs, filtered by words, environment and a key of STATES.

    Archived prompts are shown on request only. sort: a key of SORTS; a minus means descending
    """
    rows = PromptVariant.objects.filter(organization=organization).annotate(number=Count("runs"))
    rows = with_words(
        rows, text, lambda word: Q(name__icontains=word) | Q(slug__icontains=word) | Q(base__icontains=word)
    )
    if environment:
        rows = rows.filter(environment=environment)
    rows = rows.filter(archived_at__isnull=state != "archived")
    if state in ("used", "draft"):
        rows = rows.filter(number__gt=0) if state == "used" else rows.filter(number=0)
    order = order_of(sort if sort.removeprefix("-") in SORTS else "name", SORTS, "name")
    rows = rows.select_related("created_by").defer("texts").order_by(*order)
    return Paginator(rows, LIST_PAGE).get_page(page)


def built_in_prompts() -> list[tuple[str, str, str, str, str]]:
    """(environment, title, variant, description, version) of every built-in variant."""
    return [
        (name, environment.title, variant, declared.description, environment.prompt_set.version)
        for name, environment in ENVIRONMENTS.items()
        for variant, declared in environment.variants.items()
    ]


def free_name(prompt: PromptVariant) -> str:
    """A name for a copy of the prompt: its name with the next number whose slug is free."""
    rows = PromptVariant.objects.filter(organization=prompt.organization_id, environment=prompt.environment)
    taken = set(rows.filter(base=prompt.base).values_list("slug", flat=True))
    stem = prompt.name.rstrip("0123456789").rstrip()[: MOST_PROMPT_SLUG - 4].rstrip() or "Copy"
    names = (f"{stem} {number}" for number in range(2, len(taken) + 3))
    return next(name for name in names if ascii_slug(name, "prompt")[:MOST_PROMPT_SLUG].strip("-") not in taken)


def prompt_preview(environment: str, base: str, texts: Mapping[str, str], difficulty: str, seed: int) -> dict[str, Any]:
    """The texts as an agent reads them in the first period of a real instance.

    texts: (title, text) pairs; tools: the tools that it is offered
    """
    environment_class = ENVIRONMENTS[environment]
    instance = generate(environment, difficulty, seed, variant=base, with_reference=False)
    prompts = OwnPrompts(environment_class.prompt_set, texts)
    whole, single = (
        environment_class(instance, variant=base, prompts=prompts, periods=periods) for periods in (None, 1)
    )
    return {"texts": prompt_texts(whole, single), "tools": whole.tools()}


def changed_texts(environment: str, base: str, texts: Mapping[str, str]) -> list[tuple[str, list[Piece]]]:
    """(label, pieces of the difference) of every text that differs from the built-in one."""
    prompts = ENVIRONMENTS[environment].prompt_set
    plain = {name: text.replace("\r\n", "\n").strip() for name, text in texts.items()}
    return [
        (label_of(prompts, name), differences(text.strip(), plain[name]))
        for name, text in prompts.texts(base).items()
        if name in plain and plain[name] != text.strip()
    ]


def leaderboard_address(prompt: PromptVariant) -> str:
    """The address of the leaderboard or litmus page with the scores under the prompt."""
    if prompt.environment in BENCHMARKS:
        query = {"environments": prompt.environment, "variant": prompt.variant}
        return f"{reverse('analysis:leaderboard')}?{urlencode(query)}"
    return f"{reverse('analysis:litmus')}?{urlencode({'variant': variant_name('main', prompt.slug)})}"
