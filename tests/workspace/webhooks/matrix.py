"""Answers of webhooks that do not follow from the guards of their views."""

ROWS = {
    # The answer shows the new secret once.
    "organization/webhooks/<int:webhook_id>/secret/": {"post": "302 403 403 200 404 403"},
}


def ids(owner):
    """Values for the placeholders of the rows: a webhook of the organization of `owner`, a membership."""
    from workspace.webhooks.models import Delivery, Event
    from workspace.webhooks.services import webhook_create

    organization = owner.organization
    # The port has no listener, so that a test of the webhook ends at once.
    url = f"http://127.0.0.1:9/{organization.name.replace(' ', '-')}"
    hook, _ = webhook_create(actor=owner, url=url, events=["run.finished"])
    event = Event.objects.create(organization=organization, kind="run.finished", body="{}")
    delivery = Delivery.objects.create(webhook=hook, event=event, state="failed", attempts=1)
    return {"<int:webhook_id>": hook.pk, "<int:delivery_id>": delivery.pk}
