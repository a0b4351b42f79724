"""Answers of the pages of experiments, runs and agents that do not follow from the guards of their views."""

ROWS = {
    # Parts of the form of a launch.
    "experiments/new/fill/": {"post": "302 403 200 200 200 403"},
    "experiments/new/file/": {"post": "302 403 422 422 422 403"},
    "experiments/new/preview/": {"post": "302 403 200 200 200 403"},
    # 286 makes htmx stop polling.
    "experiments/<int:experiment_id>/matrix/<slug:environment>/": {"get": "302 286 286 286 404 403"},
    # A person's own.
    "runs/views/<int:view_id>/": {"get": "302 404 404 200 404 403", "post": "302 404 404 422 404 403"},
    "runs/views/<int:view_id>/delete/": {"post": "302 404 404 302 404 403"},
    # What may be undone depends on its kind, so the view itself asks for an editor.
    r"^deleted/(?P<kind>[-\w]+)/(?P<numbers>\d{1,18}(?:,\d{1,18}){0,999})/undo/$": {"post": "302 403 302 302 404 403"},
    "deleted/<slug:kind>/<int:pk>/remove/": {"post": "302 403 302 302 404 403"},
    # A new prompt begins from one that the query names.
    "prompts/new/": {"get": "302 403 302 302 302 403", "post": "302 403 404 404 404 403"},
    "prompts/preview/": {"post": "302 404 404 404 404 403"},
    # Every member reads a prompt, editors change it.
    "prompts/<int:prompt_id>/": {"post": "302 403 422 422 404 403"},
    # These show the form again with 200, or their result on the same page.
    "agents/new/": {"post": "302 403 200 200 200 403"},
    "agents/endpoints/new/": {"post": "302 403 200 200 200 403"},
    "agents/<int:agent_id>/test/": {"post": "302 403 200 200 404 403"},
    # A part of the page of agents.
    # An empty form takes the key or the limits away.
    "agents/endpoints/<int:endpoint_id>/key/": {"post": "302 403 302 302 404 403"},
    "agents/endpoints/<int:endpoint_id>/headers/": {"post": "302 403 302 302 404 403"},
    "agents/endpoints/<int:endpoint_id>/limits/": {"post": "302 403 302 302 404 403"},
}


def ids(owner):
    """Values for the placeholders of the rows: rows of the organization of `owner`, a membership."""
    from pages.dashboard.services import run_view_save
    from tests.prompts import prompt_of

    organization = owner.organization
    experiment = organization.experiments.order_by("id")[0]
    agent = organization.agents.filter(endpoint__base_url__contains="127.0.0.1").order_by("id")[0]
    run = experiment.runs.get(agent=agent)
    prompt = prompt_of(organization, owner.user, name=f"Prompt of {organization.name}")
    view = run_view_save(
        organization=organization,
        user=owner.user,
        query="state=finished",
        name=f"View of {organization.name}"[:60],
        is_shared=True,
    )
    action = r"\d{1,18})/(?P<action>pause|resume|cancel|retry)/$"
    return {
        "<int:experiment_id>": experiment.pk,
        "<int:run_id>": run.pk,
        "<int:agent_id>": agent.pk,
        "<int:endpoint_id>": agent.endpoint_id,
        "<int:index>": 0,
        "<slug:environment>": run.instance.environment,
        "<int:prompt_id>": prompt.pk,
        "<int:view_id>": view.pk,
        "<slug:kind>": "experiment",
        "<int:pk>": experiment.pk,
        r"^prompts/(?P<prompt_id>\d{1,18})/(?P<action>archive|restore|delete)/$": f"prompts/{prompt.pk}/archive/",
        r"^deleted/(?P<kind>[-\w]+)/(?P<numbers>\d{1,18}(?:,\d{1,18}){0,999})/undo/$": (
            f"deleted/experiment/{experiment.pk}/undo/"
        ),
        f"^experiments/(?P<experiment_id>{action}": f"experiments/{experiment.pk}/pause/",
        f"^runs/(?P<run_id>{action}": f"runs/{run.pk}/pause/",
        f"^agents/endpoints/(?P<endpoint_id>{action}": f"agents/endpoints/{agent.endpoint_id}/pause/",
        "^agents/(?P<agent_id>\\d{1,18})/(?P<action>archive|unarchive)/$": f"agents/{agent.pk}/archive/",
    }
