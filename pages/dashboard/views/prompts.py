"""Own prompts: the list, the editor with its preview, and the actions of editors."""

from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode

from django.core.exceptions import ValidationError
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from accounts.guards import editor_required
from accounts.pages.requests import MemberRequest, posted, take_errors, typed, whole
from environments.prompts.own import text_errors
from environments.registry import ENVIRONMENTS
from pages.dashboard.forms.prompts import PromptForm
from pages.dashboard.selectors import prompts as reading
from pages.dashboard.views.actions import done, refused, with_row
from runs.models import PromptVariant
from runs.selectors.designs import prompt_or_404
from runs.services.designs import GONE, USED, prompt_archive, prompt_change, prompt_create, prompt_delete


@require_GET
def prompts(request: MemberRequest) -> HttpResponse:
    filters = {key: typed(request.GET, key) for key in ("text", "environment", "state", "sort")}
    options: dict[str, Any] = filters | {"sort": filters["sort"] or "name", "page": request.GET.get("page")}
    return render(
        request,
        "pages/dashboard/prompts.html",
        {
            "page": reading.prompts_page(organization=request.organization, **options),
            "filters": filters,
            "sort": options["sort"],
            "states": reading.STATES,
            "titles": {name: environment.title for name, environment in ENVIRONMENTS.items()},
            "filtered": any(filters[key] for key in ("text", "environment", "state")),
            "built_in": reading.built_in_prompts(),
        },
    )


@editor_required
@require_http_methods(["GET", "POST"])
def prompt_new(request: MemberRequest) -> HttpResponse:
    """The editor with the texts of a built-in variant, or of the own prompt to copy."""
    data = request.POST if request.method == "POST" else request.GET
    if request.method == "GET" and not {"environment", "from"} & set(data):
        return redirect("dashboard:prompts")
    copied, initial = None, {}
    if source := whole(data.get("from"), 0):
        copied = prompt_or_404(organization=request.organization, prompt_id=source)
        initial = {"name": reading.free_name(copied)}
    environment, base = (copied.environment, copied.base) if copied else _built_in(request)
    form = PromptForm(
        posted(request), environment=environment, base=base, texts=copied.texts if copied else None, initial=initial
    )
    if _is_to_save(request, form):
        values = {"organization": request.organization, "environment": environment, "base": base}
        if made := _save(request, form, prompt_create, **values):
            sentence = f"Saved {made.name}. It can be launched as {made.variant}."
            return done(request, sentence, "dashboard:prompt", made.pk)
    return _editor(request, form, copied=copied)


@require_http_methods(["GET", "POST"])
def prompt_detail(request: MemberRequest, prompt_id: int) -> HttpResponse:
    """One own prompt: in the editor until a run uses it; afterwards, and for viewers, as plain texts."""
    rows = PromptVariant.objects.filter(organization=request.organization).select_related("created_by")
    prompt = rows.filter(pk=prompt_id).first()
    if request.method == "POST":
        return _change(request, prompt)
    if prompt is None:
        raise Http404("There is no such prompt.")
    return _editor(
        request,
        PromptForm(
            environment=prompt.environment,
            base=prompt.base,
            texts=prompt.texts,
            initial={"name": prompt.name},
        ),
        prompt,
    )


@editor_required
def _change(request: MemberRequest, prompt: PromptVariant | None) -> HttpResponse:
    """Save the changes. If the prompt was deleted, the texts are shown in the form of a new prompt."""
    environment, base = (prompt.environment, prompt.base) if prompt else _built_in(request)
    form = PromptForm(request.POST, environment=environment, base=base, slug=prompt.slug if prompt else "")
    if prompt is None:
        form.add_error(None, GONE)
        return _editor(request, form, status=404)
    if _is_to_save(request, form):
        if _save(request, form, prompt_change, prompt=prompt):
            return done(request, f"Saved {form.cleaned_data['name']}.", "dashboard:prompt", prompt.pk)
        if prompt.runs.exists():
            return _as_copy(request, prompt)
    return _editor(request, form, prompt)


def _as_copy(request: MemberRequest, prompt: PromptVariant) -> HttpResponse:
    """Show the changes in the form of a copy, since runs use the prompt by now."""
    data = request.POST.copy()
    if data.get("name") == prompt.name:
        data["name"] = reading.free_name(prompt)
    form = PromptForm(data, environment=prompt.environment, base=prompt.base)
    form.add_error(None, f"{USED} Below are your changes as a new prompt.")
    return _editor(request, form, copied=prompt)


@require_POST
def preview(request: MemberRequest) -> HttpResponse:
    """The form's texts on a real instance, their differences, and errors beside the fields. Nothing is stored."""
    environment, base = _built_in(request)
    form = PromptForm(request.POST, environment=environment, base=base)
    return render(
        request, "pages/dashboard/_prompt_preview.html", _preview_context(form) | {"form": form, "refresh": True}
    )


@editor_required
@require_POST
@with_row("prompt", prompt_or_404)
def prompt_act(request: MemberRequest, prompt: PromptVariant, action: str) -> HttpResponse:
    if action == "delete":
        try:
            prompt_delete(prompt=prompt, user=request.user)
        except ValidationError as error:
            return refused(request, error, "dashboard:prompt", prompt.pk)
        return done(request, f"Deleted {prompt.name}.", "dashboard:prompts")
    archived = action == "archive"
    prompt_archive(prompt=prompt, archived=archived)
    consequence = "Launches no longer offer it; its runs stay." if archived else "Launches offer it again."
    sentence = f"{'Archived' if archived else 'Restored'} {prompt.name}. {consequence}"
    return done(request, sentence, "dashboard:prompt", prompt.pk)


def _built_in(request: MemberRequest) -> tuple[str, str]:
    """(environment, built-in variant) that the request names."""
    data = request.POST if request.method == "POST" else request.GET
    environment, base = data.get("environment", ""), data.get("base", "")
    if environment not in ENVIRONMENTS or base not in ENVIRONMENTS[environment].variants:
        raise Http404("There is no such built-in prompt.")
    return environment, base


def _save(
    request: MemberRequest, form: PromptForm, service: Callable[..., PromptVariant], **values: Any
) -> PromptVariant | None:
    """The prompt with the values of the form. None if the service refused them; the form then has the errors."""
    names = {name: form.cleaned_data[name] for name in ("slug", "name")}
    try:
        return service(user=request.user, texts=form.texts, **names, **values)
    except ValidationError as error:
        take_errors(form, error)
        if "slug" in form.errors:
            form.data = request.POST.dict() | {"slug": names["slug"]}  # so that the refused slug can be changed
        return None


def _is_to_save(request: MemberRequest, form: PromptForm) -> bool:
    return request.method == "POST" and "check" not in request.POST and form.is_whole


def _editor(
    request: MemberRequest,
    form: PromptForm,
    prompt: PromptVariant | None = None,
    *,
    copied: PromptVariant | None = None,
    status: int = 0,
) -> HttpResponse:
    """status: by default 422 if the form was sent to be saved, but has errors"""
    is_refused = request.method == "POST" and "check" not in request.POST and not form.is_whole
    number = prompt.runs.count() if prompt else 0
    may_write = request.membership.may_edit and not number
    if not may_write:
        form.set_read_only()
    begun_from = {"from": copied.pk} if copied else {"environment": form.environment, "base": form.base}
    new = f"{reverse('dashboard:prompt-new')}?{urlencode(begun_from)}"  # so that a refused form can be loaded again
    context = {
        "form": form,
        "action": reverse("dashboard:prompt", args=[prompt.pk]) if prompt else new,
        "prompt": prompt,
        "copied": copied,
        "runs": number,
        "may_write": may_write,
        "title": ENVIRONMENTS[form.environment].title,
        "leaderboard": reading.leaderboard_address(prompt) if prompt and number else "",
    } | _preview_context(form)
    return render(request, "pages/dashboard/prompt.html", context, status=status or (422 if is_refused else 200))


def _preview_context(form: PromptForm) -> dict[str, Any]:
    """The preview and the differences. Texts with errors are shown too, with the errors at their fields."""
    if form.is_bound:
        form.is_valid()
        for name, sentence in text_errors(form.prompts, form.base, form.texts).items():
            if not form.errors.get(f"texts.{name}"):
                form.add_error(f"texts.{name}", sentence)
    difficulty, seed = form["difficulty"].value(), form.cleaned_data.get("seed") if form.is_bound else 0
    difficulties = [name for name, _ in form.fields["difficulty"].choices]  # type: ignore[attr-defined]
    difficulty = difficulty if difficulty in difficulties else difficulties[0]
    return {
        "preview": reading.prompt_preview(form.environment, form.base, form.texts, difficulty, seed or 0),
        "changed": reading.changed_texts(form.environment, form.base, form.texts),
        "where": (difficulty, seed or 0),
    }
