"""Names of prompt variants. The built-in variant in a name determines the rules; the slug selects the texts."""

from collections.abc import Callable
from contextvars import ContextVar

OWN = "+"
"""Separator between the built-in variant and the slug in the name of an own variant, such as 'main+concise'."""

own_title: ContextVar[Callable[[str], str]] = ContextVar("own_title", default=str)
"""Returns the title of an own prompt, from its variant or its slug, or of an own design, from its difficulty. A site sets
it while it answers a member's page.

Programs get the names themselves.
"""

AS_RUN = "as_run"
"""Slug of the texts that the published experiments sent (`environments.prompts.sets`); also short for 'main+as_run'."""


def base_variant(variant: str) -> str:
    """The built-in variant of a name: 'main' for 'main', 'main+concise' and 'as_run'.

    The built-in variant determines rules, seats, length and score.
    """
    return "main" if variant == AS_RUN else variant.partition(OWN)[0]


def texts_slug(variant: str) -> str:
    """The slug of the texts in a name: 'concise' for 'main+concise', 'as_run', or empty for the paper's texts."""
    return AS_RUN if variant == AS_RUN else variant.partition(OWN)[2]


def variant_name(base: str, slug: str) -> str:
    """Join a built-in variant and a slug to a name: 'main', 'main+concise', 'as_run' or 'efficiency+as_run'."""
    if (base, slug) == ("main", AS_RUN):
        return AS_RUN
    return f"{base}{OWN}{slug}" if slug else base


def texts_label(slug: str) -> str:
    """Describe the texts of a slug, such as 'the paper's prompts' or 'own prompt concise, not the paper's'."""
    if slug == AS_RUN:
        return "the texts that the experiments sent"
    return f"own prompt {own_title.get()(slug)}, not the paper's" if slug else "the paper's prompts"


def prompt_title(variant: str) -> str:
    """A variant for readers: the title of an own prompt, else the name itself."""
    return own_title.get()(variant) if is_own(variant) else variant


def is_own(variant: str) -> bool:
    """Whether a user wrote the texts of a variant."""
    return texts_slug(variant) not in ("", AS_RUN)
