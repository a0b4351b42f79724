"""Outside columns: the list, the upload of a CSV, and deletion."""

from django import forms
from django.contrib import messages
from django.core.files.uploadedfile import UploadedFile
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from accounts.guards import editor_required
from accounts.pages.requests import MemberRequest, submit
from analysis.generalizability.outside import (
    MOST_BYTES,
    MOST_COLUMNS,
    MOST_SOURCE,
    MOST_UNIT,
    CsvColumn,
    columns_of_file,
)
from analysis.generalizability.players import own_players, published_players
from analysis.generalizability.selectors import measure_of, outside_column_or_404, outside_columns, unmatched
from analysis.generalizability.services import outside_column_delete, outside_columns_create
from infrastructure.text.formats import counted


class OutsideColumnsForm(forms.Form):
    """The form of a CSV with one or more columns of values."""

    columns = forms.FileField(
        label="CSV file",
        widget=forms.FileInput(attrs={"accept": ".csv,.tsv,.txt,text/csv"}),
        help_text=(
            f"The first column has names of agents, models or makers, each further one numbers, with headings in the "
            f"first line. At most {MOST_COLUMNS} columns of values and {MOST_BYTES // 1000} kB."
        ),
        error_messages=dict.fromkeys(("required", "missing"), "Choose a CSV file.") | {"empty": "The file is empty."},
    )
    unit = forms.CharField(label="Unit", max_length=MOST_UNIT, required=False, help_text="such as points or tokens")
    source = forms.CharField(
        label="Source", max_length=MOST_SOURCE, required=False, help_text="where the values come from, and when"
    )

    def clean_columns(self) -> list[CsvColumn]:
        file: UploadedFile[bytes] = self.cleaned_data["columns"]
        return columns_of_file(file.read(MOST_BYTES + 1))


@require_GET
def columns(request: MemberRequest) -> HttpResponse:
    """All outside columns, each with the names that match no agent, model or maker."""
    players = [*own_players(request.organization).values(), *published_players().values()]
    rows = [
        (column, measure_of(column), unmatched(column, players))
        for column in outside_columns(organization=request.organization)
    ]
    return render(request, "analysis/outside_columns.html", {"rows": rows})


@editor_required
@require_http_methods(["GET", "POST"])
def columns_new(request: MemberRequest) -> HttpResponse:
    form = OutsideColumnsForm(request.POST, request.FILES) if request.method == "POST" else OutsideColumnsForm()
    if stored := submit(form, outside_columns_create, organization=request.organization, user=request.user):
        messages.success(request, f"Added {counted(len(stored), 'column,columns')}.")
        return redirect("analysis:outside-columns")
    return render(request, "analysis/outside_columns_new.html", {"form": form}, status=422 if form.is_bound else 200)


@editor_required
@require_POST
def column_delete(request: MemberRequest, column_id: int) -> HttpResponse:
    column = outside_column_or_404(organization=request.organization, column_id=column_id)
    outside_column_delete(column=column)
    messages.success(request, f"Deleted the column {column.name}.")
    return redirect("analysis:outside-columns")
