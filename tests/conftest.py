"""The cast: an organization with its agents, an owner, and the services a test may need."""

import gc
import os
import sys
import warnings
from datetime import date
from random import Random

import pytest
from hypothesis import HealthCheck, settings

from tests import data_folders  # noqa: F401  Names its folder before pytest starts its workers.
from tests.layout import without_line_breaks

# The browser's driver keeps an event loop in the main thread, in which Django would refuse to use the database.
os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"

pytest_plugins = ["tests.circles"]

# No test measures seconds, and a busy machine draws slowly.
settings.register_profile("patient", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("patient")

REQUIRE_ALL = os.environ.get("ECONEVALS_REQUIRE_ALL") == "1"

PURE = ("agents", "baselines", "client", "environments", "loop", "stats")
"""Folders whose tests need neither Django nor a database, so they run without its plugin: pytest -p no:django."""


def pytest_collection_modifyitems(items):
    """Every test outside the pure folders may use the database."""
    for item in items:
        if item.path.parent.name not in PURE and not item.get_closest_marker("django_db"):
            item.add_marker(pytest.mark.django_db)


def pytest_collection_finish():
    """Collect garbage rarely: imported modules stay, and a test run ends before its memory matters."""
    gc.freeze()
    gc.set_threshold(100_000, 20, 100)


def pytest_sessionfinish():
    """Say nothing about sockets that are closed as garbage when the process ends."""
    warnings.simplefilter("ignore", ResourceWarning)


def need(what, present):
    """Skip a test whose service is missing, or fail it where everything is required."""
    if present:
        return
    if REQUIRE_ALL:
        pytest.fail(f"{what} is required here and missing.")
    pytest.skip(f"{what} is not there.")


@pytest.fixture(autouse=True)
def _quick_settings(request):
    """Passwords that hash fast, pages without collected static files, endpoints on this machine on any database, and a
    heartbeat that sleeps.
    """
    if request.path.parent.name in PURE:
        return
    settings = request.getfixturevalue("settings")
    settings.ALLOW_PRIVATE_ENDPOINTS = True
    # The heartbeat cannot write while a test holds its transaction open: it would wait, and the test for it.
    settings.LEASE_SECONDS = 3600
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
    plain = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
    settings.STORAGES = settings.STORAGES | {"staticfiles": plain}
    settings.CACHES = {"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}}
    settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
    from django.core.cache import cache

    # Every test starts with fresh limits of log-in attempts.
    cache.clear()


@pytest.fixture(autouse=True)
def _before_any_retirement(request, monkeypatch):
    """On this day all models of the catalog were served, so tests launch them for ever."""
    if request.path.parent.name not in PURE:
        monkeypatch.setattr("runs.catalog.today", lambda: date(2025, 1, 1))


@pytest.fixture(autouse=True)
def _no_places_taken():
    """An answer that a test did not read to its end keeps its place among the downloads until it is collected as garbage."""
    for module, name in (("accounts.pages.downloads", "_running"), ("sharing.views.visits", "_visits")):
        if module in sys.modules:
            slots = getattr(sys.modules[module], name)
            setattr(sys.modules[module], name, type(slots)(slots.most))


@pytest.fixture(params=["part", pytest.param("whole", marks=pytest.mark.long)])
def some(request):
    """`some(choices, row)` is one of the choices, always the same for a row; all of them in the long tests.

    A test of a large table asks one question for every row, and still every choice for some rows.
    """

    def some(choices, row, most=1):
        return choices if request.param == "whole" else Random(row).sample(list(choices), most)

    return some


@pytest.fixture(autouse=True)
def _pages_without_line_breaks(request, monkeypatch):
    """Let clients return HTML without the line breaks of its template."""
    if request.path.parent.name in PURE:
        return
    from django.test import Client

    ask = Client.request

    def answer(client, **options):
        response = ask(client, **options)
        if not response.streaming and response.get("Content-Type", "").startswith("text/html"):
            response.content = without_line_breaks(response.text).encode()
        return response

    monkeypatch.setattr(Client, "request", answer)


@pytest.fixture
def noon(monkeypatch):
    """No minute in which requests are counted ends during the test."""
    monkeypatch.setattr("time.time", lambda: 1_800_000_015.0)


@pytest.fixture
def organization(db):
    from accounts.services.organizations import organization_create
    from runs.services.catalog import catalog_install

    owner = _user("alice")
    organization = organization_create(name="Market Lab", slug="market-lab", owner=owner, allow_environment_keys=True)
    catalog_install(organization=organization)
    return organization


@pytest.fixture
def alice(organization):
    """The owner of the organization."""
    return organization.memberships.get(user__username="alice").user


@pytest.fixture
def owner(alice):
    """The membership of the organization's only owner."""
    return alice.memberships.get()


@pytest.fixture
def today_is(monkeypatch):
    """`today_is(day)` moves the date by which models are retired."""
    return lambda day: monkeypatch.setattr("runs.catalog.today", lambda: day)


@pytest.fixture
def join(organization):
    """A new person as a member of the organization; `of` names another one."""

    def join(name, role, *, of=None):
        from accounts.models import Membership

        return Membership.objects.create(organization=of or organization, user=_user(name), role=role)

    return join


@pytest.fixture
def other(db):
    """The membership of the only owner of another organization."""
    from accounts.services.organizations import organization_create

    return organization_create(name="Other Lab", owner=_user("mallory")).memberships.get()


@pytest.fixture
def page(alice):
    """A client of the owner."""
    from tests.visitors import signed_in

    return signed_in(alice)


@pytest.fixture
def viewer(join):
    """A client of a viewer of the organization."""
    from tests.visitors import signed_in

    return signed_in(join("vera", "viewer").user)


@pytest.fixture
def stranger(other):
    """A client of the owner of another organization."""
    from tests.visitors import signed_in

    return signed_in(other.user)


@pytest.fixture
def agent(organization):
    """An agent of the organization by slug."""
    return lambda slug: organization.agents.select_related("endpoint__organization").get(slug=slug)


@pytest.fixture
def launch(organization, alice):
    """Launch a small experiment; keyword arguments as of LaunchPlan, agents by slug."""
    from runs.launching.plan import LaunchPlan
    from runs.services.experiments import experiment_launch

    def launch(*slugs, **options):
        owner = options.pop("organization", organization)
        agents = tuple(owner.agents.select_related("endpoint").filter(slug__in=slugs))
        values = {"environments": ("pricing",), "difficulties": ("BASIC",), "seeds": (0,), "periods": 4} | options
        plan = LaunchPlan(agents=agents, **values)
        return experiment_launch(organization=owner, user=alice, plan=plan)

    return launch


@pytest.fixture
def played(launch):
    """Launch a small experiment, and let the engine play each of its runs to its end."""

    def play(*slugs, **options):
        from tests.cast import play_all

        experiment = launch(*slugs, **options)
        play_all(experiment)
        return experiment

    return play


@pytest.fixture
def model_agent(organization):
    """An LLM agent behind a stub provider."""
    from accounts.services.endpoints import endpoint_create
    from runs.services.agents import agent_create

    def create(stub, wire="openai", *, key="sk-test-key-0001", **options):
        provider = {"openai": "openai-compatible", "anthropic": "anthropic"}[wire]
        endpoint = endpoint_create(
            organization=organization, name=f"stub {wire}", provider=provider, base_url=stub.base_url(wire), key=key
        )
        return agent_create(
            organization=organization, name=f"house {wire}", endpoint=endpoint, model="house-1", **options
        )

    return create


def _user(name):
    from accounts.models import User

    return User.objects.create_user(name, f"{name}@example.org", "correct horse battery")
