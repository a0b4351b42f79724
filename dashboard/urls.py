from django.urls import include, path, re_path

from dashboard.views import agents, endpoints, experiments, home, launch, runs

# One namespace for all pages about runs, whichever package they are in.
app_name = "runs"
urlpatterns = [
    path("", include("discussion.urls")),
    path("", include("spending.urls")),
    path("", include("stages.urls")),
    path("", include("transfer.urls")),
    path("", include("findings.urls")),
    path("organization/webhooks/", include("webhooks.urls")),
    path("first-steps/dismiss/", home.first_steps, name="first-steps-dismiss"),
    path("experiments/", experiments.experiments, name="experiments"),
    path("experiments/new/", launch.launch, name="launch"),
    path("experiments/new/preview/", launch.preview, name="launch-preview"),
    path("experiments/<int:experiment_id>/", experiments.experiment, name="experiment"),
    path("experiments/<int:experiment_id>/live/", experiments.experiment_live, name="experiment-live"),
    path("experiments/<int:experiment_id>/rename/", experiments.rename, name="experiment-rename"),
    path("experiments/<int:experiment_id>/budget/", experiments.set_budget, name="experiment-budget"),
    path("experiments/<int:experiment_id>/delete/", experiments.delete, name="experiment-delete"),
    re_path(
        r"^experiments/(?P<experiment_id>\d{1,18})/(?P<action>pause|resume|cancel|retry)/$",
        experiments.experiment_act,
        name="experiment-act",
    ),
    path("runs/", runs.runs, name="runs"),
    path("runs/<int:run_id>/", runs.run, name="run"),
    path("runs/<int:run_id>/budget/", runs.set_budget, name="run-budget"),
    path("runs/<int:run_id>/live/", runs.run_live, name="run-live"),
    path("runs/<int:run_id>/notes/", runs.notes, name="run-notes"),
    path("runs/<int:run_id>/hidden/", runs.hidden, name="run-hidden"),
    path("runs/<int:run_id>/periods/<int:index>/", runs.run, name="period"),
    path("runs/<int:run_id>/periods/<int:index>/period.json", runs.period_download, name="period-json"),
    re_path(r"^runs/(?P<run_id>\d{1,18})/(?P<action>pause|resume|cancel|retry)/$", runs.run_act, name="run-act"),
    path("agents/", agents.agents, name="agents"),
    path("agents/new/", agents.agent_new, name="agent-new"),
    path("agents/list-prices/", agents.list_prices, name="agent-list-prices"),
    path("agents/<int:agent_id>/prices/", agents.agent_prices, name="agent-prices"),
    path("agents/<int:agent_id>/release/", agents.agent_release, name="agent-release"),
    path("agents/<int:agent_id>/test/", agents.agent_test, name="agent-test"),
    path("agents/endpoints/", endpoints.endpoints, name="endpoints"),
    path("agents/endpoints/new/", endpoints.endpoint_new, name="endpoint-new"),
    path("agents/endpoints/<int:endpoint_id>/key/", endpoints.endpoint_key, name="endpoint-key"),
    path("agents/endpoints/<int:endpoint_id>/address/", endpoints.endpoint_address, name="endpoint-address"),
    path("agents/endpoints/<int:endpoint_id>/limits/", endpoints.endpoint_limits, name="endpoint-limits"),
    path("agents/endpoints/<int:endpoint_id>/delete/", endpoints.endpoint_remove, name="endpoint-delete"),
    re_path(
        r"^agents/endpoints/(?P<endpoint_id>\d{1,18})/(?P<action>pause|resume|cancel|retry)/$",
        endpoints.endpoint_act,
        name="endpoint-act",
    ),
]
