"""Names of prompt variants: a built-in variant decides the rules, a slug whose texts the agent reads."""

OWN = "+"
"""Between the built-in variant and the slug in the name of an own variant, such as 'main+concise'."""

AS_RUN = "as_run"
"""The slug of the texts that the published experiments sent (`environments.prompts.sets`), and short for 'main+as_run'."""


def base_variant(variant: str) -> str:
    """The built-in variant of a name, 'main' for 'main', 'main+concise' and 'as_run'.

    It decides rules, seats, length and score.
    """
    return "main" if variant == AS_RUN else variant.partition(OWN)[0]


def texts_slug(variant: str) -> str:
    """Whose texts a name stands for: 'concise' for 'main+concise', 'as_run', empty for the paper's."""
    return AS_RUN if variant == AS_RUN else variant.partition(OWN)[2]


def variant_name(base: str, slug: str) -> str:
    """The name of a built-in variant with the texts of a slug: 'main', 'main+concise', 'as_run', 'efficiency+as_run'."""
    if (base, slug) == ("main", AS_RUN):
        return AS_RUN
    return f"{base}{OWN}{slug}" if slug else base


def texts_label(slug: str) -> str:
    """'the paper's prompts', 'own prompt concise, not the paper's' or 'the texts that the experiments sent'."""
    if slug == AS_RUN:
        return "the texts that the experiments sent"
    return f"own prompt {slug}, not the paper's" if slug else "the paper's prompts"


def is_own(variant: str) -> bool:
    """Whether a person wrote the texts."""
    return texts_slug(variant) not in ("", AS_RUN)
