"""A site in a process of its own for clients that keep it waiting.

    python -m tests.security.waiting_site PORT OUTSIDE DEADLINE

OUTSIDE is the port of a server that never answers: an agent's endpoint and a webhook's receiver are there. Standard
output gets one line of JSON with what the clients need. Deadlines are DEADLINE seconds, and the system keeps little of what a
client has not taken; the rest is the site that `manage.py serve` runs.
"""

import json
import socket
import sys

MEMBERS = 6
NOTES = 20
NOTE = "The price of supplier three went up again. " * 300


def main(port, outside, deadline):
    import django

    django.setup()
    from django.conf import settings
    from django.core.management import call_command

    from econevals_site.serving import server as serving

    # Without the files that `prepare` collects.
    plain = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
    settings.STORAGES = settings.STORAGES | {"staticfiles": plain}
    # Longer than a test, so that a request that waits for the mail server gets no answer.
    settings.EMAIL_TIMEOUT = 3600
    call_command("migrate", verbosity=0)
    print(json.dumps(furnish(outside)), flush=True)
    serving.TAKE_SECONDS = serving.BODY_SECONDS = serving.HEAD_SECONDS = deadline
    keep_little()
    call_command("serve", port=port)


def keep_little():
    """Linux keeps up to four megabytes for a connection; with less, small answers show what large ones would."""
    from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

    made = HttpToolsProtocol.connection_made

    def connection_made(self, transport):
        transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 16 * 1024)
        made(self, transport)

    HttpToolsProtocol.connection_made = connection_made


def furnish(outside):
    """Members, a run with 20 long notes, a link that shows it, and an agent and a webhook whose address is `outside`."""
    from accounts.models import Membership, Role, User
    from accounts.services import organization_create
    from runs.models import Note, Period
    from runs.services import catalog_install
    from sharing.services import share_link_create
    from tests.cast import launched, model_of
    from tests.visitors import signed_in
    from workspace.webhooks.services import webhook_create

    owner = User.objects.create_user("owner", "owner@example.org")
    organization = organization_create(name="Market Lab", owner=owner)
    catalog_install(organization=organization)
    agent = model_of(organization, "silent", "silent-1", f"http://127.0.0.1:{outside}/v1")
    run = launched(organization, organization.agents.filter(slug="random"), periods=NOTES).runs.get()
    run.periods_played = NOTES
    run.save()
    for index in range(NOTES):
        Period.objects.create(run=run, index=index, action={}, result={})
        Note.objects.create(run=run, period_index=index, seat="seat_0", order=0, text=NOTE)
    actor = organization.memberships.get(user=owner)
    _, token = share_link_create(actor=actor, target=run, lasts="7", with_notes=True)
    webhook, _ = webhook_create(actor=actor, url=f"http://127.0.0.1:{outside}/hook", events=["run.finished"])
    people = [owner]
    for number in range(1, MEMBERS):
        people.append(User.objects.create_user(f"member-{number}", f"member-{number}@example.org"))
        Membership.objects.create(organization=organization, user=people[-1], role=Role.EDITOR)
    sessions = [signed_in(person).cookies["sessionid"].value for person in people]
    return {"run": run.pk, "agent": agent.pk, "webhook": webhook.pk, "token": token, "sessions": sessions}


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3]))
