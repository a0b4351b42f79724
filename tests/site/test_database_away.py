"""Pages explain that the database is unavailable."""

import pytest
from django.db import OperationalError
from django.urls import path

from econevals_site import urls


def _away(request):
    raise OperationalError("the server closed the connection unexpectedly")


urlpatterns = [*urls.urlpatterns, path("away/", _away)]
handler500 = urls.handler500


@pytest.mark.urls("tests.site.test_database_away")
def test_a_page_without_a_database_gives_503_and_a_time_to_retry(client, alice):
    client.force_login(alice)
    client.raise_request_exception = False
    response = client.get("/away/")
    assert response.status_code == 503
    assert response["Retry-After"] == "10"
    assert "The database is away" in response.text
