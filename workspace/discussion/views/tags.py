"""Tags: add and remove them on the page of their subject; rename, merge and delete them on their own pages."""

from django.contrib import messages
from django.core.exceptions import PermissionDenied, ValidationError
from django.http import HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from accounts.guards import VIEWER, editor_required
from accounts.pages.requests import MemberRequest, submit, take_errors, typed, whole
from infrastructure.text.formats import counted
from workspace.discussion.forms import MergeForm, TagForm
from workspace.discussion.models import Tag
from workspace.discussion.selectors.comments import Annotations
from workspace.discussion.selectors.tags import carriers, offered_tags, tag_or_404, tag_page, tags_of, with_use
from workspace.discussion.services.tags import tag_add, tag_delete, tag_merge, tag_remove, tag_update
from workspace.discussion.subjects import Subject
from workspace.discussion.views.subjects import deleted_is_404, subject_or_404


@editor_required
@require_POST
@deleted_is_404
def tag_put(request: MemberRequest, **subject_ids: int) -> HttpResponse:
    subject = subject_or_404(request, **subject_ids)
    try:
        tag_add(subject=subject, name=typed(request.POST, "name"), user=request.user)
    except ValidationError as error:
        return _tags(request, subject, error.messages[0])
    return _tags(request, subject, added=True)


@editor_required
@require_POST
def tag_take(request: MemberRequest, **subject_ids: int) -> HttpResponse:
    """Remove a tag; a tag that is already removed is not an error."""
    subject = subject_or_404(request, **subject_ids)
    tag_remove(
        subject=subject, tag=tag_or_404(organization=request.organization, tag_id=whole(request.POST.get("tag"), 0))
    )
    return _tags(request, subject)


def _tags(request: MemberRequest, subject: Subject, error: str = "", added: bool = False) -> HttpResponse:
    """The current tags of the subject for htmx; otherwise a redirect to its page."""
    if request.htmx:
        return render(
            request,
            "workspace/discussion/_tags.html",
            {
                "annotations": Annotations(subject, tags_of(subject)),
                "error": error,
                "added": added,
                "is_answer": True,
                "name": typed(request.POST, "name") if error else "",
            },
            status=422 if error else 200,
        )
    if error:
        messages.error(request, error)
    return redirect(subject.url)


@require_GET
def tags(request: MemberRequest) -> HttpResponse:
    text = typed(request.GET, "text")
    page = tag_page(organization=request.organization, text=text, page=request.GET.get("page"))
    return render(request, "workspace/discussion/tags.html", {"page": page, "text": text})


@require_GET
def names(request: MemberRequest) -> HttpResponse:
    """Tag names as options, for suggestions while typing."""
    return render(request, "workspace/discussion/_tag_names.html", {"tags": offered_tags(request.organization)})


@require_http_methods(["GET", "POST"])
def tag(request: MemberRequest, tag_id: int) -> HttpResponse:
    """The subjects with a tag. Editors rename and recolour it here."""
    tag = tag_or_404(organization=request.organization, tag_id=tag_id)
    if request.method == "POST" and not request.membership.may_edit:
        raise PermissionDenied(VIEWER)
    form = _form(tag, request.POST if request.method == "POST" else None)
    if submit(form, tag_update, tag=tag, user=request.user):
        messages.success(request, "Saved the tag.")
        return redirect("discussion:tag", tag.pk)
    return _page(request, tag, form)


@editor_required
@require_POST
def merge(request: MemberRequest, tag_id: int) -> HttpResponse:
    tag = tag_or_404(organization=request.organization, tag_id=tag_id)
    form = MergeForm(request.POST, others=_other_tags(request, tag))
    if form.is_valid():
        into = tag_or_404(organization=request.organization, tag_id=form.cleaned_data["into"])
        try:
            tag_merge(tag=tag, into=into, user=request.user)
        except ValidationError as error:
            take_errors(form, error)
        else:
            messages.success(request, f"Everything that was tagged {tag.name} is tagged {into.name} now.")
            return redirect("discussion:tag", into.pk)
    return _page(request, tag, _form(tag), form)


@editor_required
@require_POST
def delete(request: MemberRequest, tag_id: int) -> HttpResponse:
    tag = tag_or_404(organization=request.organization, tag_id=tag_id)
    tagging_count = tag.taggings.count()
    tag_delete(tag=tag, user=request.user)
    note = f" It was on {counted(tagging_count, 'thing,things')}, which stay." if tagging_count else ""
    messages.success(request, f"Deleted the tag {tag.name}.{note}")
    return redirect("discussion:tags")


def _other_tags(request: MemberRequest, tag: Tag) -> list[Tag]:
    return [other for other in offered_tags(request.organization) if other.pk != tag.pk]


def _form(tag: Tag, data: QueryDict | None = None) -> TagForm:
    return TagForm(data, initial={"name": tag.name, "colour": tag.colour})


def _page(request: MemberRequest, tag: Tag, form: TagForm, merge_form: MergeForm | None = None) -> HttpResponse:
    others = _other_tags(request, tag) if request.membership.may_edit else []
    return render(
        request,
        "workspace/discussion/tag.html",
        {
            "tag": tag,
            "use": with_use(Tag.objects.filter(pk=tag.pk)).get(),
            "page": carriers(tag=tag, page=request.GET.get("page")),
            "form": form,
            "merge_form": merge_form or MergeForm(others=others),
            "others": others,
        },
        status=422 if form.is_bound or merge_form else 200,
    )
