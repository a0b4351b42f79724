"""The cast of the accounts tests."""

import pytest

from accounts.services.endpoints import endpoint_create
from accounts.services.people import invitation_create
from infrastructure.caches import PatientCache
from tests.accounts.identity_provider import IdentityProvider

KEY = "sk-canary-0123456789"


@pytest.fixture
def invite(owner):
    """The path of the link of a new invitation."""

    def invite(email="new@example.org", role="editor"):
        return f"/invitations/{invitation_create(actor=owner, email=email, role=role)[1]}/"

    return invite


@pytest.fixture
def provider(settings):
    """An identity provider that the site knows."""
    with IdentityProvider() as provider:
        settings.SOCIALACCOUNT_PROVIDERS = provider.apps()
        yield provider


@pytest.fixture
def endpoint(organization, settings):
    """An endpoint whose key is sealed with "the-old-secret"."""
    settings.KEY_SECRETS = ["the-old-secret"]
    values = {"name": "House", "provider": "openai-compatible", "base_url": "https://models.test/v1"}
    return endpoint_create(organization=organization, key=KEY, **values)


@pytest.fixture
def broker_away(settings, tmp_path):
    """Rate limits are counted in a cache that cannot be reached."""
    options = {"serializer": "infrastructure.caches.JSONSerializer", "socket_connect_timeout": 1, "socket_timeout": 2}
    away = {"BACKEND": "infrastructure.caches.PatientCache", "LOCATION": f"unix://{tmp_path}/none.sock"}
    settings.CACHES = {"default": away | {"OPTIONS": options}}
    PatientCache.away_until = 0.0
    yield
    PatientCache.away_until = 0.0


@pytest.fixture
def mail_works(settings):
    settings.MAIL_WORKS = True
