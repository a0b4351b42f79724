"""What every address of the runs part answers to everybody, by GET and by POST without a body."""

ACTED = ("302 403 405 405 405 403", "302 403 302 302 404 403")

ROWS = {
    "": ("302 200 200 200 200 403", "302 200 200 200 200 403"),
    "go/": ("302 200 200 200 200 403", "302 405 405 405 405 403"),
    "news/": ("302 200 200 200 200 403", "302 405 405 405 405 403"),
    "first-steps/dismiss/": ("302 405 405 405 405 403", "302 302 302 302 302 403"),
    "experiments/": ("302 200 200 200 200 403", "302 200 200 200 200 403"),
    "experiments/new/": ("302 403 200 200 200 403", "302 403 422 422 422 403"),
    "experiments/new/file/": ("302 403 405 405 405 403", "302 403 422 422 422 403"),
    "experiments/new/preview/": ("302 403 405 405 405 403", "302 403 200 200 200 403"),
    "experiments/<int:experiment_id>/": ("302 200 200 200 404 403", "302 200 200 200 404 403"),
    "experiments/<int:experiment_id>/launch.yaml": ("302 200 200 200 404 403", "302 405 405 405 405 403"),
    "experiments/<int:experiment_id>/live/": ("302 200 200 200 404 403", "302 200 200 200 404 403"),
    "experiments/<int:experiment_id>/rename/": ("302 403 405 405 405 403", "302 403 302 302 404 403"),
    "experiments/<int:experiment_id>/budget/": ("302 403 405 405 405 403", "302 403 302 302 404 403"),
    "experiments/<int:experiment_id>/matrix/<slug:environment>/": (
        "302 286 286 286 404 403",
        "302 405 405 405 405 403",
    ),
    "experiments/<int:experiment_id>/pace/": ("302 403 405 405 405 403", "302 403 302 302 404 403"),
    "experiments/<int:experiment_id>/delete/": ("302 403 405 405 405 403", "302 403 302 302 404 403"),
    "^experiments/(?P<experiment_id>\\d{1,18})/(?P<action>pause|resume|cancel|retry)/$": ACTED,
    "experiments/<int:experiment_id>/ledger/": ("302 200 200 200 404 403", "302 200 200 200 404 403"),
    "experiments/<int:experiment_id>/ledger/ledger.csv": ("302 200 200 200 404 403", "302 200 200 200 404 403"),
    "ledger/": ("302 200 200 200 200 403", "302 200 200 200 200 403"),
    "ledger/ledger.csv": ("302 200 200 200 200 403", "302 200 200 200 200 403"),
    "spend/": ("302 200 200 200 200 403", "302 200 200 200 200 403"),
    "spend/budget/": ("302 403 403 405 405 403", "302 403 403 302 302 403"),
    "spend/members/<int:membership_id>/budget/": ("302 403 403 405 405 403", "302 403 403 302 404 403"),
    "runs/": ("302 200 200 200 200 403", "302 405 405 405 405 403"),
    "runs/selected/": ("302 405 405 405 405 403", "302 302 302 302 302 403"),
    "experiments/selected/": ("302 405 405 405 405 403", "302 302 302 302 302 403"),
    "runs/<int:run_id>/": ("302 200 200 200 404 403", "302 200 200 200 404 403"),
    "runs/<int:run_id>/budget/": ("302 403 405 405 405 403", "302 403 302 302 404 403"),
    "runs/<int:run_id>/live/": ("302 200 200 200 404 403", "302 200 200 200 404 403"),
    "runs/<int:run_id>/notes/": ("302 200 200 200 404 403", "302 200 200 200 404 403"),
    "runs/<int:run_id>/notes/changes/": ("302 200 200 200 404 403", "302 200 200 200 404 403"),
    "runs/<int:run_id>/quality.json": ("302 200 200 200 404 403", "302 405 405 405 405 403"),
    "runs/<int:run_id>/hidden/": ("302 200 200 200 404 403", "302 200 200 200 404 403"),
    "runs/<int:run_id>/periods/<int:index>/": ("302 200 200 200 404 403", "302 200 200 200 404 403"),
    "runs/<int:run_id>/periods/<int:index>/period.json": ("302 200 200 200 404 403", "302 200 200 200 404 403"),
    "^runs/(?P<run_id>\\d{1,18})/(?P<action>pause|resume|cancel|retry)/$": ACTED,
    "runs/views/new/": ("302 200 200 200 200 403", "302 422 422 422 422 403"),
    "runs/views/<int:view_id>/": ("302 404 404 200 404 403", "302 404 404 422 404 403"),
    "runs/views/<int:view_id>/delete/": ("302 405 405 405 405 403", "302 404 404 302 404 403"),
    "deleted/": ("302 200 200 200 200 403", "302 405 405 405 405 403"),
    r"^deleted/(?P<kind>[-\w]+)/(?P<numbers>\d{1,18}(?:,\d{1,18}){0,999})/undo/$": (
        "302 405 405 405 405 403",
        "302 403 302 302 404 403",
    ),
    "deleted/<slug:kind>/<int:pk>/remove/": ("302 405 405 405 405 403", "302 403 302 302 404 403"),
    "prompts/": ("302 200 200 200 200 403", "302 405 405 405 405 403"),
    "prompts/new/": ("302 403 302 302 302 403", "302 403 404 404 404 403"),
    "prompts/preview/": ("302 405 405 405 405 403", "302 404 404 404 404 403"),
    "prompts/<int:prompt_id>/": ("302 200 200 200 404 403", "302 403 422 422 404 403"),
    "^prompts/(?P<prompt_id>\\d{1,18})/(?P<action>archive|restore|delete)/$": ACTED,
    "agents/": ("302 200 200 200 200 403", "302 200 200 200 200 403"),
    "agents/new/": ("302 403 200 200 200 403", "302 403 200 200 200 403"),
    "agents/list-prices/": ("302 403 200 200 200 403", "302 403 405 405 405 403"),
    "agents/<int:agent_id>/edit/": ("302 403 200 200 404 403", "302 403 422 422 404 403"),
    "^agents/(?P<agent_id>\\d{1,18})/(?P<action>archive|unarchive)/$": ACTED,
    "agents/<int:agent_id>/delete/": ("302 403 405 405 405 403", "302 403 302 302 404 403"),
    "agents/<int:agent_id>/test/": ("302 403 405 405 405 403", "302 403 200 200 404 403"),
    "agents/endpoints/": ("302 302 302 302 302 403", "302 302 302 302 302 403"),
    "agents/endpoints/new/": ("302 403 200 200 200 403", "302 403 200 200 200 403"),
    "agents/endpoints/<int:endpoint_id>/key/": ("302 403 200 200 404 403", "302 403 302 302 404 403"),
    "agents/endpoints/<int:endpoint_id>/address/": ("302 403 200 200 404 403", "302 403 422 422 404 403"),
    "agents/endpoints/<int:endpoint_id>/limits/": ("302 403 200 200 404 403", "302 403 302 302 404 403"),
    "agents/endpoints/<int:endpoint_id>/delete/": ("302 403 405 405 405 403", "302 403 302 302 404 403"),
    "^agents/endpoints/(?P<endpoint_id>\\d{1,18})/(?P<action>pause|resume|cancel|retry)/$": ACTED,
}


def ids(owner):
    """What stands for the placeholders of the rows: rows of the organization of `owner`, a membership."""
    from dashboard.services import run_view_save
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
