"""What every address of webhooks answers to everybody, by GET and by POST without a body; see tests/accounts/matrix.py.

Anonymous, viewer, editor, owner, foreign owner, removed member.
"""

BUTTON = ("302 403 403 405 405 403", "302 403 403 302 404 403")
ROWS = {
    "organization/webhooks/": ("302 403 403 200 200 403", "302 403 403 405 405 403"),
    "organization/webhooks/new/": ("302 403 403 200 200 403", "302 403 403 422 422 403"),
    "organization/webhooks/<int:webhook_id>/": ("302 403 403 200 404 403", "302 403 403 405 405 403"),
    "organization/webhooks/<int:webhook_id>/change/": ("302 403 403 200 404 403", "302 403 403 422 404 403"),
    "organization/webhooks/<int:webhook_id>/test/": BUTTON,
    "organization/webhooks/<int:webhook_id>/pause/": BUTTON,
    "organization/webhooks/<int:webhook_id>/resume/": BUTTON,
    "organization/webhooks/<int:webhook_id>/secret/": ("302 403 403 405 405 403", "302 403 403 200 404 403"),
    "organization/webhooks/<int:webhook_id>/delete/": BUTTON,
    "organization/webhooks/<int:webhook_id>/deliveries/<int:delivery_id>/resend/": BUTTON,
}


def ids(owner):
    """What stands for the placeholders of the rows: a webhook of the organization of `owner`, a membership."""
    from webhooks.models import Delivery, Event
    from webhooks.services import webhook_create

    organization = owner.organization
    # Nobody listens there, so that a test of the webhook ends at once.
    url = f"http://127.0.0.1:9/{organization.name.replace(' ', '-')}"
    hook, _ = webhook_create(actor=owner, url=url, events=["run.finished"])
    event = Event.objects.create(organization=organization, kind="run.finished", body="{}")
    delivery = Delivery.objects.create(webhook=hook, event=event, state="failed", attempts=1)
    return {"<int:webhook_id>": hook.pk, "<int:delivery_id>": delivery.pk}
