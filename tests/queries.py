"""Counting the queries of a page."""

from django.db import connection
from django.test.utils import CaptureQueriesContext

SIGNED_IN = 5
"""Session, person, membership, and in the header the spend of the month and the mentions not opened yet."""
PARTIAL = SIGNED_IN - 2
"""Parts of pages have no header."""


def queries_of(client, address, **headers):
    with CaptureQueriesContext(connection) as queries:
        response = client.get(address, headers=headers)
    assert response.status_code == 200, response.content[:500]
    return len(queries)
