"""Own prompts that tests use."""


def prompt_of(organization, user=None, *, environment="pricing", base="main", slug="concise", name="Shorter", **texts):
    """An own prompt with these texts."""
    from runs.services.designs import prompt_create

    return prompt_create(
        organization=organization,
        user=user,
        environment=environment,
        base=base,
        slug=slug,
        name=name,
        texts=texts or {"reply": "Go on."},
    )


def launched_with(launch, organization, *agents, variants=("main+concise",), **options):
    """A small experiment under own prompts, by the fixture `launch`."""
    from runs.selectors.designs import prompts_named

    prompts = prompts_named(organization=organization, variants=variants)
    return launch(*agents, variants=tuple(variants), prompts=prompts, **options)
