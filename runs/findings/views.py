"""Pages of findings: by agent, and the panel of a run that reloads itself until it is ready."""

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_GET, require_POST

from accounts.guards import editor_required
from accounts.pages.requests import MemberRequest, typed
from environments.registry import ENVIRONMENTS
from runs.findings.selectors import agent_table, run_report
from runs.findings.services import findings_ask
from runs.findings.tasks import notify
from runs.selectors.experiments import run_or_404


@require_GET
def findings(request: MemberRequest) -> HttpResponse:
    """The page of findings by agent, over all environments or one."""
    environment = typed(request.GET, "environment")
    if environment not in ENVIRONMENTS:
        environment = ""
    return render(
        request,
        "runs/findings/agents.html",
        {
            "table": agent_table(organization=request.organization, environment=environment),
            "environment": environment,
            "narrowed": f"&environment={environment}" if environment else "",
            "environments": [(name, game.title) for name, game in ENVIRONMENTS.items()],
        },
    )


@require_GET
def run_findings(request: MemberRequest, run_id: int) -> HttpResponse:
    """The findings panel of the run page. Status 204 if the state equals the parameter `state`, so that the panel stays."""
    run = run_or_404(organization=request.organization, run_id=run_id)
    if not request.htmx:
        return redirect(f"{reverse('dashboard:run', args=[run.pk])}#findings")
    report = run_report(run)
    if request.GET.get("state") == report.state:
        return HttpResponse(status=204)
    return render(request, "runs/findings/_run.html", {"run": run, "report": report})


@editor_required
@require_POST
def compute_again(request: MemberRequest, run_id: int) -> HttpResponse:
    """Compute the findings of a run again after an error."""
    run = run_or_404(organization=request.organization, run_id=run_id)
    if findings_ask(run=run):
        notify([run.pk])
    return redirect(f"{reverse('dashboard:run', args=[run.pk])}#findings")
