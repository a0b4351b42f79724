"""A web process imports everything before its first request and hides it from the garbage collector."""

import json
import subprocess
import sys

import pytest

STARTED = """
import gc, json, sys
import econevals_site.asgi
print(json.dumps([gc.get_freeze_count(), "analysis.views.leaderboards" in sys.modules]))
"""


@pytest.mark.long
def test_a_web_process_imports_its_views_before_the_first_request():
    done = subprocess.run([sys.executable, "-c", STARTED], capture_output=True, text=True, check=True)
    settled, imported = json.loads(done.stdout.splitlines()[-1])
    assert imported and settled > 100_000


def test_a_request_keeps_no_list_of_tried_urls(page):
    assert page.get("/agents/").wsgi_request.resolver_match.tried is None
