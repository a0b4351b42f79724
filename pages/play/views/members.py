"""Pages of play for members: games, and studies with their participants and links."""

from typing import Any

from django.core.exceptions import PermissionDenied
from django.forms import model_to_dict
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.guards import VIEWER, editor_required
from accounts.pages.requests import MemberRequest, posted, submit, whole
from analysis.views.answers import table_file
from infrastructure.text.tables import Table, typed
from pages.dashboard.views.actions import done, with_row
from pages.play import game_lists, selectors
from pages.play.forms import LinksForm, OwnGameForm, StudyForm
from pages.play.models import Participant, Study
from pages.play.services import participants, studies
from pages.play.services.games import game_open

of_study = with_row("study", selectors.study_or_404)
of_participant = with_row("participant", selectors.participant_or_404)


@require_http_methods(["GET", "HEAD", "POST"])
def play(request: MemberRequest) -> HttpResponse:
    """A new game, the games that a member has in play, and the history. A posted form begins a game."""
    is_posted = request.method == "POST"
    if is_posted and not request.membership.may_edit:
        raise PermissionDenied(VIEWER)
    who: dict[str, Any] = {"organization": request.organization, "user": request.user}
    form = OwnGameForm(request.organization, posted(request))
    if is_posted and (seats := submit(form, game_open, **who, name=request.user.shown_name[:60])):
        return redirect("play:own-game", seats[0].episode_id)
    kind = request.GET.get("list", game_lists.OWN)
    kind = kind if kind in game_lists.LISTS else game_lists.OWN
    context = {
        "form": form,
        "games": game_lists.open_games(**who),
        "page": game_lists.history_page(**who, kind=kind, number=request.GET.get("page")),
        "kind": kind,
        "lists": game_lists.LISTS,
    }
    return render(request, "pages/play/play.html", context, status=422 if is_posted else 200)


@require_safe
def study_list(request: MemberRequest) -> HttpResponse:
    return render(request, "pages/play/studies.html", {"studies": selectors.studies(organization=request.organization)})


@editor_required
@require_http_methods(["GET", "HEAD", "POST"])
def study_new(request: MemberRequest) -> HttpResponse:
    """The form of a study, filled in from another study if the query string has `from`."""
    is_posted = request.method == "POST"
    form = StudyForm(request.organization, posted(request), initial=_initial(request))
    if is_posted and (study := submit(form, studies.study_create, actor=request.membership)):
        return done(request, "The study is ready. Create links for its participants below.", "play:study", study.pk)
    return render(request, "pages/play/study_new.html", {"form": form}, status=422 if is_posted else 200)


def _initial(request: MemberRequest) -> dict[str, Any]:
    if not (source := whole(request.GET.get("from"), 0)):
        return {}
    study = selectors.study_or_404(organization=request.organization, study_id=source)
    return model_to_dict(study, exclude=("id", "name", "closes_at")) | {
        "game": f"{study.environment}/{study.difficulty}"
    }


@require_safe
@of_study
def study_detail(request: MemberRequest, study: Study) -> HttpResponse:
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
    } | more
    return render(request, "pages/play/study.html", context, status=422 if context["form"].errors else 200)


@editor_required
@never_cache
@require_POST
@of_study
def study_links(request: MemberRequest, study: Study) -> HttpResponse:
    """Create links, shown on the page or sent as a file. Only this answer contains them."""
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
@of_study
def open_link(request: MemberRequest, study: Study) -> HttpResponse:
    secret = studies.open_link_create(actor=request.membership, study=study)
    study.refresh_from_db()
    return _page(request, study, open_address=_address(request, secret))


@editor_required
@require_POST
@of_study
def open_link_revoke(request: MemberRequest, study: Study) -> HttpResponse:
    studies.open_link_revoke(actor=request.membership, study=study)
    sentence = "Nobody joins by the open link any more. Those who joined go on by their own links."
    return done(request, sentence, "play:study", study.pk)


@editor_required
@require_POST
@of_study
def study_close(request: MemberRequest, study: Study, closed: bool) -> HttpResponse:
    """Close the study, or open it again."""
    change = studies.study_close if closed else studies.study_reopen
    change(actor=request.membership, study=study)
    sentence = "The study is closed. Participants who have begun play on." if closed else "The study is open again."
    return done(request, sentence, "play:study", study.pk)


@editor_required
@require_POST
@of_study
def study_delete(request: MemberRequest, study: Study) -> HttpResponse:
    studies.study_delete(actor=request.membership, study=study)
    return done(
        request, f"Deleted the study {study.name} with its links and labels. Its runs are kept.", "play:studies"
    )


@editor_required
@never_cache
@require_POST
@of_participant
def participant_renew(request: MemberRequest, participant: Participant) -> HttpResponse:
    """Create a new link for a participant who lost theirs. Only this answer shows it."""
    secret = participants.participant_renew(actor=request.membership, participant=participant)
    return _page(request, participant.study, new_links=[(participant, _address(request, secret))])


@editor_required
@require_POST
@of_participant
def participant_revoke(request: MemberRequest, participant: Participant) -> HttpResponse:
    participants.participant_revoke(actor=request.membership, participant=participant)
    return done(
        request, f"The link of participant {participant.number} no longer works.", "play:study", participant.study_id
    )


@require_safe
@of_study
def participants_file(request: MemberRequest, study: Study, form: str) -> HttpResponse:
    """The participants as a file."""
    return table_file(request, selectors.participants_table(study), form, f"study-{study.pk}-participants")
