from typing import Annotated, Any

from django.http import HttpResponse
from django.http.response import HttpResponseBase
from pydantic import Field

from accounts.pages.downloads import Reader, download
from api.auth import LAUNCH, ApiRequest
from api.protocol.errors import ApiError, invalid
from api.protocol.operations import USUAL, Cursor, Id, IdempotencyKey, Limit, answers, once, page_of, resource
from api.schemas.base import Out, Page
from infrastructure.schemas import In, Plain
from pages.registrations.archive.writing import archive, archive_name
from pages.registrations.evidence.answering import Answer, answers_of
from pages.registrations.evidence.deviations import deviations_of
from pages.registrations.file import MOST_BYTES, STUDY_EXAMPLE, read_study
from pages.registrations.models import Registration
from pages.registrations.report import registration_report
from pages.registrations.selectors import (
    RegistrationState,
    evidence_of,
    registration_or_404,
    registrations_of,
    states_of,
)
from pages.registrations.services import CheckedStudy, launches_make, study_check, study_register
from pages.reports.views import send
from runs.launching.plan import LaunchError

router = resource("Registrations")
REGISTRATION = "/registrations/{int:registration_id}"


class RegistrationIn(In):
    """A study to register: the text of its file, whose bytes in UTF-8 are hashed."""

    study: Annotated[Plain, Field(max_length=MOST_BYTES, examples=[STUDY_EXAMPLE])] = ""
    """The YAML file. `bin/econevals study --example` prints one."""


class RegistrationOut(
    Out,
    rows=(Registration, RegistrationState),
    fields="id title sha256 registered_at state",
    details={
        "sha256": "SHA-256 of the file.",
        "state": "`registered`: not launched. `launched`: launched in part. `playing`; `complete`: every run has ended.",
    },
):
    """A registered study."""

    experiments: list[int | None]
    """Numbers of the experiments of the launches that were made; null for one that was removed for good."""
    progress: str
    """The progress in words."""


class AnswerOut(
    Out,
    rows=(Answer,),
    fields="question kind cells agents instances planned value interval p adjusted_p boundary verdict sentence",
    details={
        "planned": "Registered number of instances.",
        "value": "Difference, the second agent minus the first, or mean, in points of 100.",
        "boundary": "Largest `p` that decides a comparison in stages.",
    },
):
    """The answer to a registered question."""


class RegistrationWithAnswers(RegistrationOut):
    study: str
    """The registered file."""
    answers: list[AnswerOut]
    """Empty until every run has ended."""
    deviations: list[str]
    """What differs from the registration, in sentences; empty until every run has ended."""


def _values(state: RegistrationState) -> dict[str, Any]:
    experiments = [launch.experiment_id for launch in state.launches]
    return RegistrationOut.from_row(
        state.registration, state, experiments=experiments, progress=state.sentence, state=state.state
    )


def _registration(request: ApiRequest, registration_id: int) -> Registration:
    return registration_or_404(organization=request.auth.organization, registration_id=registration_id)


def _complete(request: ApiRequest, registration_id: int) -> Registration:
    """Raises ApiError 409 for a registration whose runs have not all ended."""
    registration = _registration(request, registration_id)
    if not states_of([registration])[0].is_complete:
        raise ApiError(409, "Report and archive are made when every run has ended.", code="not_complete")
    return registration


def _reader(request: ApiRequest) -> Reader:
    return Reader(f"token {request.auth.token.pk}", request.auth.may_read)


@router.get("/registrations", response=answers(Page[RegistrationOut], has_404=False), summary="List registrations")
def list_registrations(request: ApiRequest, limit: Limit = USUAL, cursor: Cursor = None) -> Any:
    """List registered studies, newest first."""
    rows = registrations_of(organization=request.auth.organization)
    return page_of(request, rows, limit, cursor, _values, read=states_of, newest=True)


@router.post(
    "/registrations",
    auth=LAUNCH,
    response=answers(RegistrationOut, 201, has_404=False, body=True),
    summary="Register a study",
)
def register_study(request: ApiRequest, body: RegistrationIn, idempotency_key: IdempotencyKey = None) -> HttpResponse:
    """Store the file with its hash. Nothing is launched yet. The same file again gives the same registration."""
    caller = request.auth

    def prepare() -> CheckedStudy:
        try:
            file = read_study(body.study.encode())
            return study_check(file=file, organization=caller.organization, user=caller.user)
        except LaunchError as error:
            raise invalid({f"study.{path}": sentence for path, sentence in error.errors.items()}) from None

    def create(checked: CheckedStudy) -> dict[str, Any]:
        registration = study_register(checked=checked, organization=caller.organization, user=caller.user)
        return _values(states_of([registration])[0])

    return once(request, idempotency_key, RegistrationOut, prepare, create)


@router.get(REGISTRATION, response=answers(RegistrationWithAnswers), summary="Get a registration with its answers")
def get_registration(request: ApiRequest, registration_id: Id) -> Any:
    """The file, the progress, and the answers once every run has ended."""
    registration = _registration(request, registration_id)
    (state,) = states_of([registration])
    answered: dict[str, Any] = {"study": registration.text, "answers": [], "deviations": []}
    if state.is_complete:
        evidence = evidence_of(registration)
        found_answers = answers_of(evidence)
        deviations = deviations_of(evidence, found_answers)
        answered |= {"answers": list(map(AnswerOut.from_row, found_answers)), "deviations": deviations}
    return _values(state) | answered


@router.post(
    f"{REGISTRATION}/launch", auth=LAUNCH, response=answers(RegistrationOut), summary="Launch a registered study"
)
def launch_registration(request: ApiRequest, registration_id: Id) -> Any:
    """Make the launches of the file that were not made yet. Repeating the request launches nothing twice."""
    registration = _registration(request, registration_id)
    try:
        launches_make(registration=registration, user=request.auth.user)
    except LaunchError as error:
        raise invalid(error.errors) from None
    return _values(states_of([registration])[0])


FILES: Any = {
    content_type: {"responses": {200: {"description": "A file.", "content": {content_type: {"schema": schema}}}}}
    for content_type, schema in (
        ("text/html", {"type": "string"}),
        ("application/zip", {"type": "string", "format": "binary"}),
    )
}


@router.get(
    f"{REGISTRATION}/report",
    response=answers(None, has_409=True),
    openapi_extra=FILES["text/html"],
    summary="Get the report of a registration",
)
def report_of_registration(request: ApiRequest, registration_id: Id) -> HttpResponseBase:
    """One HTML file: the registered answers and deviations, then everything else as exploratory."""
    registration = _complete(request, registration_id)
    made_by = request.auth.user.shown_name if request.auth.user else request.auth.actor
    name = archive_name(registration).replace(".zip", ".html")
    return send(request, registration_report(registration, made_by), name, _reader(request))


@router.get(
    f"{REGISTRATION}/archive",
    response=answers(None, has_409=True),
    openapi_extra=FILES["application/zip"],
    summary="Get the archive of a registration",
)
def archive_of_registration(request: ApiRequest, registration_id: Id) -> HttpResponseBase:
    """A zip from which another site reproduces every table byte for byte (`bin/econevals study --reproduce`)."""
    registration = _complete(request, registration_id)
    return download(request, archive_name(registration), "application/zip", archive(registration), _reader(request))
