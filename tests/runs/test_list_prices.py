"""List prices: their models, costs and reservations."""

import json
import socket
from datetime import UTC, datetime
from decimal import Decimal
from importlib.metadata import version

import pytest
from genai_prices import Usage as ListUsage
from genai_prices import data_snapshot
from hypothesis import given
from hypothesis import strategies as st

from agents.llm import Request, Usage
from agents.prices import PriceList, Rates
from runs.catalog import CATALOG
from runs.list_prices import DATED, PACKAGE, SOURCE, VERSION, list_price, offered
from runs.models.agents import DECLARED_OUTPUT_TOKENS
from runs.services import agent_create, agent_update, catalog_install

GOOGLE = "https://generativelanguage.googleapis.com/v1beta/openai"
LLMS = json.loads(CATALOG.read_text(encoding="utf-8"))["llms"]
SHORT, LONG = (100_000, 60_000, 5_000), (300_000, 200_000, 5_000)
"""Input, cached input and output tokens of two queries; the second is beyond every provider's first tier."""


def of_the_package(agent, sent, kept, written, wrote=0):
    """Billionths of a dollar by the package's own calculation."""
    usage = ListUsage(input_tokens=sent, cache_read_tokens=kept, cache_write_tokens=wrote, output_tokens=written)
    address = agent.endpoint.base_url or f"https://api.{agent.provider}.com"
    snapshot = data_snapshot._bundled_snapshot()
    return snapshot.calc(usage, agent.model, None, address, datetime.now(UTC)).total_price * 10**9


@pytest.fixture
def gemini(agent):
    return agent("gemini-2-5-pro")


def test_the_date_of_the_list_belongs_to_the_installed_version():
    assert version(PACKAGE) == VERSION
    assert datetime.now(UTC).date() >= DATED


def test_catalog_prices_agree_with_the_calculation_of_the_package(agent):
    for entry in LLMS:
        model = agent(entry["slug"])
        assert model.price_source.startswith(SOURCE) and model.priced_on == DATED, entry
        for sent, kept, written in (SHORT, LONG):
            # Only where the list has a price for cached input does the package charge it apart.
            kept = kept if model.cached_price is not None else 0
            wrote = 10_000 if model.cache_write_price is not None else 0
            usage = Usage(sent, kept, wrote, written)
            assert model.cost_nano(usage) == of_the_package(model, sent, kept, written, wrote), entry


def test_a_long_context_costs_and_reserves_more_from_its_threshold(gemini):
    below, above = (gemini.cost_nano(Usage(tokens, 0, 0, 1000)) for tokens in (200_000, 200_001))
    assert below == 200_000 * 1250 + 1000 * 10_000
    assert above == 200_001 * 2500 + 1000 * 15_000
    short, long = (gemini.most_nano(Request("", "x" * length, ())) for length in (100_000, 250_000))
    assert short == (100_000 + 1_500) * 1250 + DECLARED_OUTPUT_TOKENS * 10_000
    assert long == (250_000 + 1_500) * 2500 + DECLARED_OUTPUT_TOKENS * 15_000


def test_list_prices_need_no_network(monkeypatch):
    def refuse(*args, **options):
        raise AssertionError("A price was asked of the network.")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    assert list_price("openai", "", "gpt-4o").prices.base.input == Decimal("2.5")
    assert {price.name for price in offered("anthropic", "")} >= {"anthropic/claude-sonnet-4-5"}


def test_an_updater_in_this_process_changes_no_price(monkeypatch):
    monkeypatch.setattr(data_snapshot, "_custom_snapshot", data_snapshot.DataSnapshot([], from_auto_update=True))
    assert list_price("openai", "", "gpt-4o") is not None


UNKNOWN = [
    ("openai-compatible", "http://127.0.0.1:8080/v1", "gpt-4o"),
    ("openai-compatible", "https://models.example.org/v1", "gpt-4o"),
    ("openai-compatible", "http://api.openai.com/v1", "gpt-4o"),
    ("openai", "", "house-1"),
    ("openai", "", ""),
]


@pytest.mark.parametrize(("provider", "base_url", "model"), UNKNOWN)
def test_unknown_servers_and_models_have_no_list_price(provider, base_url, model):
    assert list_price(provider, base_url, model) is None


def test_off_peak_prices_are_ignored():
    """A maximum must hold at every hour of the day."""
    deepseek = data_snapshot._bundled_snapshot().find_provider(None, "deepseek", None)
    for price in offered("openai-compatible", "https://api.deepseek.com"):
        model = next(m for m in deepseek.models if price.name == f"deepseek/{m.id}")
        hours = [model.get_prices(datetime(2026, 11, 22, hour, tzinfo=UTC)).output_mtok for hour in range(24)]
        assert price.prices.base.output >= max(hours)


PRICE = st.decimals(0, 1000, places=4)
RATES = st.builds(Rates, PRICE, PRICE, st.none() | PRICE, st.none() | PRICE)
TIERS = st.lists(st.tuples(st.integers(0, 500_000), RATES), max_size=3).map(tuple)


@pytest.mark.long
@given(st.builds(PriceList, RATES, TIERS), st.integers(0, 600_000), st.integers(0, 64_000), st.data())
def test_no_query_costs_more_than_its_reservation(prices, most_input, most_output, data):
    sent = data.draw(st.integers(0, most_input))
    kept = data.draw(st.integers(0, sent))
    wrote = data.draw(st.integers(0, sent - kept))
    usage = Usage(sent, kept, wrote, data.draw(st.integers(0, most_output)))
    assert prices.nano(usage) <= prices.most_nano(most_input, most_output)


def test_an_entered_price_takes_precedence_at_every_length(organization, gemini):
    agent_update(agent=gemini, input_price=Decimal(1), cached_price=None, output_price=Decimal(2))
    assert (gemini.price_source, gemini.long_input_prices) == ("", [])
    assert gemini.cost_nano(Usage(300_000, 0, 0, 0)) == 300_000 * 1000
    catalog_install(organization=organization)
    gemini.refresh_from_db()
    assert gemini.input_price == 1
    agent_update(agent=gemini, from_list=True)
    assert (gemini.input_price, len(gemini.long_input_prices)) == (Decimal("1.25"), 1)
    assert gemini.price_source == f"{SOURCE}: google/gemini-2.5-pro"
    same = {name: getattr(gemini, name) for name in ("input_price", "cached_price", "output_price")}
    agent_update(agent=gemini, **same)
    assert gemini.long_input_prices, "saving the list's prices unchanged keeps the tiers"


def test_a_newer_list_changes_no_existing_agent(monkeypatch, organization):
    monkeypatch.setattr("runs.services.catalog.list_price", lambda *names: None)
    before = list(organization.agents.order_by("id").values())
    catalog_install(organization=organization)
    assert list(organization.agents.order_by("id").values()) == before


def test_an_agent_added_without_prices_gets_list_prices(organization):
    options = {"organization": organization, "endpoint": organization.endpoints.get(name="OpenAI")}
    listed = agent_create(name="nano", model="gpt-5-nano", **options)
    assert listed.price_source == f"{SOURCE}: openai/gpt-5-nano"
    own = agent_create(name="own", model="gpt-5-nano", input_price=Decimal(0), **options)
    assert (own.price_source, own.input_price, own.output_price) == ("", 0, None)
    assert not agent_create(name="unknown", model="house-1", **options).is_priced
