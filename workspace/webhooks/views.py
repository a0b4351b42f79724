"""Pages of webhooks, for owners."""

from collections.abc import Callable

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from accounts.guards import owner_required
from accounts.pages.requests import MemberRequest, submit, typed
from infrastructure.text.formats import duration
from workspace.webhooks import services
from workspace.webhooks.delivery.deliveries import MOST_FAILURES
from workspace.webhooks.forms import WebhookForm
from workspace.webhooks.models import DeliveryState, Webhook
from workspace.webhooks.selectors import delivery_or_404, delivery_page, webhook_or_404, webhook_rows


@owner_required
@require_GET
def webhooks(request: MemberRequest) -> HttpResponse:
    return render(
        request,
        "workspace/webhooks/webhooks.html",
        {"rows": webhook_rows(organization=request.organization), "most": services.MOST_WEBHOOKS},
    )


@owner_required
@require_GET
def webhook_detail(request: MemberRequest, webhook_id: int) -> HttpResponse:
    return _page(request, webhook_or_404(organization=request.organization, webhook_id=webhook_id))


@owner_required
@never_cache
@require_http_methods(["GET", "POST"])
def edit(request: MemberRequest, webhook_id: int | None = None) -> HttpResponse:
    """The form to create or change a webhook. A new secret is shown only in the response to this request."""
    webhook = None
    if webhook_id is not None:
        webhook = webhook_or_404(organization=request.organization, webhook_id=webhook_id)
    initial = {"url": webhook.url, "events": webhook.events, "form": webhook.form} if webhook else {}
    form = WebhookForm(request.POST if request.method == "POST" else None, initial=initial)
    if webhook is None:
        if made := submit(form, services.webhook_create, actor=request.membership):
            return _page(request, *made)
    elif submit(form, services.webhook_change, actor=request.membership, webhook=webhook):
        messages.success(request, "Saved. It applies from the next event on.")
        return redirect("webhooks:webhook", webhook.pk)
    return render(
        request,
        "workspace/webhooks/webhook_form.html",
        {"form": form, "webhook": webhook},
        status=422 if form.is_bound else 200,
    )


@owner_required
@require_POST
def test(request: MemberRequest, webhook_id: int) -> HttpResponse:
    webhook = webhook_or_404(organization=request.organization, webhook_id=webhook_id)
    answer = services.webhook_test(webhook=webhook)
    if answer.ok:
        note = "Its answer is shown below." if answer.text.strip() else "Its answer was empty."
        messages.success(
            request, f"It works: the test was answered {answer.status} in {duration(answer.seconds)}. {note}"
        )
    else:
        messages.error(request, f"The test did not arrive. {answer.problem}")
    return redirect(f"{reverse('webhooks:webhook', args=[webhook.pk])}#deliveries")


def button(service: Callable[..., None], sentence: str, *, is_gone: bool = False) -> Callable[..., HttpResponse]:
    """Make a view that calls a service with the webhook and reports what was done.

    is_gone: whether the webhook has no page afterwards
    """

    @owner_required
    @require_POST
    def view(request: MemberRequest, webhook_id: int) -> HttpResponse:
        service(
            actor=request.membership,
            webhook=webhook_or_404(organization=request.organization, webhook_id=webhook_id),
        )
        messages.success(request, sentence)
        return redirect("webhooks:webhooks") if is_gone else redirect("webhooks:webhook", webhook_id)

    return view


pause = button(services.webhook_pause, "Paused. Nothing is sent. Events that happen meanwhile are not sent later.")
resume = button(services.webhook_resume, "Resumed. Waiting deliveries are sent now.")
delete = button(services.webhook_delete, "Deleted the webhook. Nothing more is sent to it.", is_gone=True)


@owner_required
@never_cache
@require_POST
def rotate(request: MemberRequest, webhook_id: int) -> HttpResponse:
    """Create a new secret, which is shown only in the response to this request."""
    webhook = webhook_or_404(organization=request.organization, webhook_id=webhook_id)
    return _page(request, webhook, secret=services.webhook_rotate(actor=request.membership, webhook=webhook))


@owner_required
@require_POST
def resend(request: MemberRequest, webhook_id: int, delivery_id: int) -> HttpResponse:
    delivery = delivery_or_404(organization=request.organization, webhook_id=webhook_id, delivery_id=delivery_id)
    try:
        services.delivery_resend(delivery=delivery)
    except ValidationError as error:
        messages.error(request, error.messages[0])
    else:
        messages.success(request, f"{delivery.event.get_kind_display()} is being sent again.")
    return redirect("webhooks:webhook", webhook_id)


def _page(request: MemberRequest, webhook: Webhook, secret: str = "") -> HttpResponse:
    state = typed(request.GET, "state")
    page = delivery_page(webhook=webhook, state=state, page=request.GET.get("page"))
    waits = any(delivery.state == DeliveryState.WAITING for delivery in page.object_list)
    return render(
        request,
        "workspace/webhooks/webhook.html",
        {
            "webhook": webhook,
            "secret": secret,
            "page": page,
            "is_waiting": waits and webhook.paused_at is None and request.method == "GET",
            "states": DeliveryState.choices,
            "state": state,
            "former_hours": services.FORMER_HOURS,
            "most_failures": MOST_FAILURES,
        },
    )
