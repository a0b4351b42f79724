"""The cast: an organization with its agents, an owner, and the services a test may need."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import Any

import pytest

# The browser's driver keeps an event loop in the main thread, in which Django would refuse to use the database.
os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"

REQUIRE_ALL = os.environ.get("ECONEVALS_REQUIRE_ALL") == "1"


def need(what: str, present: bool) -> None:
    """Skip a test whose service is missing, or fail it where everything is required."""
    if present:
        return
    if REQUIRE_ALL:
        pytest.fail(f"{what} is required here and missing.")
    pytest.skip(f"{what} is not there.")


@pytest.fixture(autouse=True)
def _quick_settings(settings: Any) -> None:
    """Passwords that hash fast, pages without collected static files, endpoints on this machine on any database, and a
    heartbeat that sleeps.
    """
    settings.ALLOW_PRIVATE_ENDPOINTS = True
    # The heartbeat cannot write while a test holds its transaction open: it would wait, and the test for it.
    settings.LEASE_SECONDS = 3600
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
    plain = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
    settings.STORAGES = settings.STORAGES | {"staticfiles": plain}
    settings.CACHES = {"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}}
    settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
    from django.core.cache import cache

    # Limits of log-in attempts begin anew with every test.
    cache.clear()


@pytest.fixture(autouse=True)
def _no_places_taken() -> None:
    """An answer that a test did not read to its end keeps its place among the downloads until it is collected as garbage."""
    for module, name in (("accounts.pages.downloads", "_running"), ("sharing.views.visit", "_visits")):
        if module in sys.modules:
            slots = getattr(sys.modules[module], name)
            setattr(sys.modules[module], name, type(slots)(slots.most))


@pytest.fixture
def organization(db: None) -> Any:
    from accounts.services import organization_create
    from runs.services import catalog_install

    owner = _user("alice")
    organization = organization_create(name="Market Lab", slug="market-lab", owner=owner, allow_environment_keys=True)
    catalog_install(organization=organization)
    return organization


@pytest.fixture
def alice(organization: Any) -> Any:
    """The owner of the organization."""
    return organization.memberships.get().user


@pytest.fixture
def agent(organization: Any) -> Callable[[str], Any]:
    """An agent of the organization by slug."""
    return lambda slug: organization.agents.select_related("endpoint__organization").get(slug=slug)


@pytest.fixture
def launch(organization: Any, alice: Any) -> Callable[..., Any]:
    """Launch a small experiment; keyword arguments as of LaunchPlan, agents by slug."""
    from runs.launching.plan import LaunchPlan
    from runs.services import experiment_launch

    def launch(*slugs: str, **options: Any) -> Any:
        agents = tuple(organization.agents.select_related("endpoint").filter(slug__in=slugs))
        values = {"environments": ("pricing",), "difficulties": ("BASIC",), "seeds": (0,), "periods": 4} | options
        return experiment_launch(organization=organization, user=alice, plan=LaunchPlan(agents=agents, **values))

    return launch


@pytest.fixture
def model_agent(organization: Any) -> Callable[..., Any]:
    """An LLM agent behind a stub provider."""
    from accounts.services import endpoint_create
    from runs.services import agent_create

    def create(stub: Any, wire: str = "openai", *, key: str = "sk-test-key-0001", **options: Any) -> Any:
        provider = {"openai": "openai-compatible", "anthropic": "anthropic"}[wire]
        endpoint = endpoint_create(
            organization=organization, name=f"stub {wire}", provider=provider, base_url=stub.base_url(wire), key=key
        )
        return agent_create(
            organization=organization, name=f"house {wire}", endpoint=endpoint, model="house-1", **options
        )

    return create


def _user(name: str) -> Any:
    from accounts.models import User

    return User.objects.create_user(name, f"{name}@example.org", "correct horse battery")
