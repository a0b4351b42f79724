"""Texts that grow when they are shown, sent to a running site: its pages stay small and quick.

The limits of CPU time are several times what is needed; before texts were bounded, pages took from 15 to 60 seconds.
"""

import json
import os
import re
from functools import partial

import pytest

from benchmarks.processes import cpu_seconds, tree
from tests.running_site import Browser, running_site
from tests.security.long_texts import table
from tests.visitors import PASSWORD
from tests.yardstick import within

pytestmark = pytest.mark.long
FURNISH = f"""
import json
from accounts.models import Membership, Organization, User
from runs.models import Note, Run
from sharing.services import share_link_create
from tests.security.long_texts import table
from tests.security.played_site import play

organization = Organization.objects.get()
viewer = User.objects.create_user("vera", "vera@example.org", "{PASSWORD}")
Membership.objects.create(organization=organization, user=viewer, role="viewer")
run, spoken = play("pricing", seeds=(0, 1), periods=20).runs.order_by("id")
Note.objects.filter(run=run).delete()
Note.objects.bulk_create(
    Note(run=run, period_index=period, seat="seat_0", order=order, text=f"{{period}}\\n\\n{{table(256 * 1024)}}")
    for period in range(20)
    for order in range(2)
)
owner = organization.memberships.get(role="owner")
_, token = share_link_create(actor=owner, target=run, lasts="7", with_notes=True)
print(json.dumps([spoken.pk, token]))
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """A site, a run whose comments viewers write, and the path of a link to a run of 40 notes of the greatest length."""
    with running_site(tmp_path_factory.mktemp("site")) as site:
        run, token = json.loads(site.run(FURNISH).splitlines()[-1])
        yield site, run, f"/s/{token}/"


def cpu_of_site():
    """Seconds of all processes that this one started."""
    return sum(map(cpu_seconds, tree(os.getpid())[1:]))


def read(browser, path, **options):
    """The text of a page, which costs the site little."""
    response = within(60_000_000, partial(browser.open, path, **options), clock=cpu_of_site)
    assert response.status_code == 200
    return response.text


def test_a_dozen_large_comments_leave_pages_and_polls_fast_and_small(site):
    viewer, run = site[0].browser("vera", PASSWORD), site[1]
    page, comments = f"/runs/{run}/", f"/runs/{run}/comments/"
    for number in range(12):
        sent = viewer.fill(comments, form=page, text=f"{number}\n\n{table(9_000)}")
        assert sent.status_code == 200
    for path in (page, f"{page}periods/1/?tab=comments", "/mentions/"):
        assert len(read(viewer, path)) < 400_000, path
    assert "Shown as plain text: its tables have too many cells." in read(viewer, page)
    version = re.findall(r"\?version=([\d.]+)", read(viewer, comments, headers={"HX-Request": "true"}))[0]
    poll = partial(viewer.open, f"{comments}?version={version}", headers={"HX-Request": "true"})
    answers = within(60_000_000, lambda: [poll() for _ in range(10)], clock=cpu_of_site)
    assert {answer.status_code for answer in answers} == {204}


def test_the_longest_shared_notes_load_quickly_for_a_visitor(site):
    running, _, path = site
    for inner, most in (("runs/1/notes/", 600_000), ("runs/1/periods/3/", 300_000)):
        text = read(Browser(running.address), path + inner)
        assert len(text) < most, inner
        assert re.search(r"These are the first [\d,]+ of its 524,\d\d\d characters\.", text)
