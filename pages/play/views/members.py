"""Pages of play for members: open games, a new game, seasons; and studies with their participants and links."""

from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied, ValidationError
from django.forms import model_to_dict
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.guards import VIEWER, editor_required
from accounts.pages.requests import MemberRequest, submit, whole
from analysis.views.answers import table_file
from environments.registry import ENVIRONMENTS, GENERATION
from infrastructure.text.tables import Table, typed
from pages.play import selectors
from pages.play.forms import LinksForm, OwnGameForm, StudyForm
from pages.play.models import Study
from pages.play.services import participants, studies
from pages.play.services.games import HUMAN, game_open
from runs.episodes import refusals, secrets
from runs.episodes.models import RULES, Season
from runs.episodes.selectors import season_board, seasons_now
from runs.episodes.services.opening import Harness
from runs.episodes.services.seasons import entry_open, entry_prepare

SEASONS_SHOWN = 5


@require_http_methods(["GET", "HEAD", "POST"])
def play(request: MemberRequest) -> HttpResponse:
    """The games that a member can play. A posted form begins a game."""
    posted = request.method == "POST"
    if posted and not request.membership.may_edit:
        raise PermissionDenied(VIEWER)
    form = OwnGameForm(request.organization, request.POST if posted else None)
    if posted:
        who = {"organization": request.organization, "user": request.user, "name": request.user.shown_name[:60]}
        if seats := submit(form, game_open, **who):
            return redirect("play:own-game", seats[0].episode_id)
    context = {
        "form": form,
        "games": selectors.open_games(organization=request.organization, user=request.user),
        "studies": selectors.studies(organization=request.organization),
        "seasons": seasons_now(timezone.now())[:SEASONS_SHOWN],
    }
    return render(request, "pages/play/play.html", context, status=422 if posted else 200)


@require_safe
def seasons(request: MemberRequest) -> HttpResponse:
    """All seasons that have opened, newest first."""
    return render(request, "pages/play/seasons.html", {"seasons": list(seasons_now(timezone.now()))})


@require_safe
def season_detail(request: MemberRequest, slug: str) -> HttpResponse:
    season = _season(slug)
    context = {
        "season": season,
        "rules": RULES,
        "kinds": [
            (
                ENVIRONMENTS[name].title,
                [level for level in season.difficulties if level in GENERATION[name].difficulties],
            )
            for name in season.environments
        ],
        "leaderboard": season_board(season, reader=request.organization),
        "secret": secrets.season_secret(season).hex() if season.revealed_at else "",
    }
    return render(request, "pages/play/season.html", context)


@editor_required
@require_POST
def enter(request: MemberRequest, slug: str) -> HttpResponse:
    """Open a season entry that the member plays in the browser."""
    season = _season(slug)
    harness = Harness(HUMAN, request.user.shown_name[:60])
    try:
        prepared = entry_prepare(organization=request.organization, user=request.user, season=season, harness=harness)
        entry_open(organization=request.organization, user=request.user, prepared=prepared)
    except (refusals.SeatRefused, ValidationError) as error:
        messages.error(request, error.sentence if isinstance(error, refusals.SeatRefused) else " ".join(error.messages))
        return redirect("play:season", season.slug)
    messages.success(
        request, f"Your entry is open: {prepared.season.name}, entry {prepared.number}. Begin with any game."
    )
    return redirect("play:play")


def _season(slug: str) -> Season:
    return get_object_or_404(seasons_now(timezone.now()), slug=slug)


@editor_required
@require_http_methods(["GET", "HEAD", "POST"])
def study_new(request: MemberRequest) -> HttpResponse:
    """The form of a study, filled in from another study if the query string has `from`."""
    posted = request.method == "POST"
    form = StudyForm(request.organization, request.POST if posted else None, initial=_initial(request))
    if posted and (study := submit(form, studies.study_create, actor=request.membership)):
        messages.success(request, "The study is ready. Create links for its participants below.")
        return redirect("play:study", study.pk)
    return render(request, "pages/play/study_new.html", {"form": form}, status=422 if posted else 200)


def _initial(request: MemberRequest) -> dict[str, Any]:
    if not (source := whole(request.GET.get("from"), 0)):
        return {}
    study = selectors.study_or_404(organization=request.organization, study_id=source)
    filled = model_to_dict(study, exclude=("id", "name", "closes_at"))
    return filled | {"game": f"{study.environment}/{study.difficulty}"}


@require_safe
def study_detail(request: MemberRequest, study_id: int) -> HttpResponse:
    study = selectors.study_or_404(organization=request.organization, study_id=study_id)
    return _page(request, study)


def _page(request: MemberRequest, study: Study, **more: Any) -> HttpResponse:
    search = request.GET.get("find", "").strip()[: participants.MOST_LABEL].replace("\x00", "")
    context: dict[str, Any] = {
        "study": study,
        "page": selectors.participants_page(study, request.GET.get("page"), search),
        "search": search,
        "counts": selectors.study_counts(study),
        "experiment": selectors.experiment_of(study),
        "fault": studies.study_fault(study=study) if study.is_open else "",
        "form": LinksForm(),
    }
    context |= more
    return render(request, "pages/play/study.html", context, status=422 if context["form"].errors else 200)


@editor_required
@never_cache
@require_POST
def study_links(request: MemberRequest, study_id: int) -> HttpResponse:
    """Create links, shown on the page or sent as a file. Only this answer contains them."""
    study = selectors.study_or_404(organization=request.organization, study_id=study_id)
    form = LinksForm(request.POST)
    invited = submit(form, participants.participants_create, actor=request.membership, study=study)
    if invited is None:
        return _page(request, study, form=form)
    addresses = [(participant, _address(request, secret)) for participant, secret in invited]
    if "file" in request.POST:
        rows = [[participant.number, participant.label, address] for participant, address in addresses]
        columns = [*typed(int, "participant"), *typed(str, "label", "link")]
        return table_file(request, Table(f"Links of {study.name}", columns, rows), "csv", f"study-{study.pk}-links")
    return _page(request, study, new_links=addresses)


def _address(request: MemberRequest, secret: str) -> str:
    return request.build_absolute_uri(reverse("play:participant-game", args=[secret]))


@editor_required
@never_cache
@require_POST
def open_link(request: MemberRequest, study_id: int) -> HttpResponse:
    study = selectors.study_or_404(organization=request.organization, study_id=study_id)
    secret = studies.open_link_create(actor=request.membership, study=study)
    study.refresh_from_db()
    return _page(request, study, open_address=_address(request, secret))


@editor_required
@require_POST
def open_link_revoke(request: MemberRequest, study_id: int) -> HttpResponse:
    study = selectors.study_or_404(organization=request.organization, study_id=study_id)
    studies.open_link_revoke(actor=request.membership, study=study)
    messages.success(request, "Nobody joins by the open link any more. Those who joined go on by their own links.")
    return redirect("play:study", study.pk)


@editor_required
@require_POST
def study_close(request: MemberRequest, study_id: int, closed: bool) -> HttpResponse:
    """Close the study, or open it again."""
    study = selectors.study_or_404(organization=request.organization, study_id=study_id)
    if closed:
        studies.study_close(actor=request.membership, study=study)
        messages.success(request, "The study is closed. Participants who have begun play on.")
    else:
        studies.study_reopen(actor=request.membership, study=study)
        messages.success(request, "The study is open again.")
    return redirect("play:study", study.pk)


@editor_required
@require_POST
def study_delete(request: MemberRequest, study_id: int) -> HttpResponse:
    study = selectors.study_or_404(organization=request.organization, study_id=study_id)
    studies.study_delete(actor=request.membership, study=study)
    messages.success(request, f"Deleted the study {study.name} with its links and labels. Its runs are kept.")
    return redirect("play:play")


@editor_required
@never_cache
@require_POST
def participant_renew(request: MemberRequest, participant_id: int) -> HttpResponse:
    """Create a new link for a participant who lost theirs. Only this answer shows it."""
    participant = selectors.participant_or_404(organization=request.organization, participant_id=participant_id)
    secret = participants.participant_renew(actor=request.membership, participant=participant)
    return _page(request, participant.study, new_links=[(participant, _address(request, secret))])


@editor_required
@require_POST
def participant_revoke(request: MemberRequest, participant_id: int) -> HttpResponse:
    participant = selectors.participant_or_404(organization=request.organization, participant_id=participant_id)
    participants.participant_revoke(actor=request.membership, participant=participant)
    messages.success(request, f"The link of participant {participant.number} no longer works.")
    return redirect("play:study", participant.study_id)


@require_safe
def participants_file(request: MemberRequest, study_id: int, form: str) -> HttpResponse:
    """The participants as a file."""
    study = selectors.study_or_404(organization=request.organization, study_id=study_id)
    return table_file(request, selectors.participants_table(study), form, f"study-{study.pk}-participants")
