"""Answers of the pages of watches that do not follow from the guards of their views."""

ROWS = {
    # The query names the agent to watch.
    "drift/new/": {"get": "302 403 404 404 404 403", "post": "302 403 404 404 404 403"},
}


def ids(owner):
    """Values for the placeholders of the rows: a watch of the organization of `owner`, a membership."""
    from django.utils import timezone

    from workspace.drift.models import Watch

    organization = owner.organization
    experiment = organization.experiments.order_by("id")[0]
    agent = organization.agents.filter(endpoint__base_url__contains="127.0.0.1").order_by("id")[0]
    watch = Watch.objects.create(
        organization=organization,
        agent=agent,
        spec=experiment.spec,
        state="paused",
        reason=f"{agent.name} waits.",
        due_at=timezone.now(),
    )
    watch.notices.create(kind="stopped", sentence=f"{agent.name}: The watch has paused.")
    return {"<int:watch_id>": watch.pk}
