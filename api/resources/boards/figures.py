from django.http import HttpResponse

from analysis.views import runs
from api.auth import ApiRequest
from api.protocol.operations import RUN, Id, answers, resource

router = resource("Figures")


@router.get(f"{RUN}/figure", response=answers(dict), summary="Get the chart of a run")
def run_figure(request: ApiRequest, run_id: Id) -> HttpResponse:
    """Period by period, up to the last one played, as a Plotly figure."""
    return runs.run_figure(request, run_id)


@router.get(f"{RUN}/plane", response=answers(dict), summary="Get the second chart of a run")
def run_plane(request: ApiRequest, run_id: Id) -> HttpResponse:
    """Which only some environments have; 404 for the others."""
    return runs.run_figure(request, run_id, "plane")
