"""An endpoint that answers with another address is not followed there, wherever it points."""

from collections.abc import Iterator
from typing import Any

import pytest

from agents.errors import ProviderFatal, ProviderRetry
from agents.options import LLMOptions
from agents.providers import connect
from tests.agents.conftest import request_of
from tests.security.address_vectors import VECTORS
from tests.stub_provider import StubAnswer, StubProvider

STATUSES = (301, 302, 303, 307, 308)
TARGETS = [vector for vector in VECTORS if not set(vector) & set("\r\n\x00\x01") and vector.isascii()]


@pytest.fixture(scope="module")
def pointer() -> Iterator[tuple[StubProvider, dict[str, Any]]]:
    """An endpoint that is allowed and sends everybody elsewhere."""
    to: dict[str, Any] = {}
    with StubProvider(lambda *_: StubAnswer(status=to["status"], headers={to["header"]: to["target"]})) as stub:
        yield stub, to


@pytest.mark.parametrize("place, vector", list(enumerate(TARGETS)))
def test_nobody_goes_there(place: int, vector: str, pointer: Any, canary: Any, canary_port: int, dialled: Any) -> None:
    stub, to = pointer
    to |= {"target": vector.format(port=canary_port), "status": STATUSES[place % 5], "header": "Location"}
    llm = connect(LLMOptions("openai-compatible", "m", base_url=f"{stub.url}/v1", timeout_seconds=5.0), "sk-1")
    with pytest.raises(ProviderFatal, match="redirects to another address .* not followed"):
        llm.query(request_of())
    assert set(dialled) <= {("127.0.0.1", int(stub.url.rpartition(":")[2]))}
    assert canary.count == 0


@pytest.mark.parametrize("status", [200, 201, 300, 304, 305, 306])
@pytest.mark.parametrize("header", ["Location", "Content-Location", "Refresh", "Link", "Alt-Svc"])
def test_other_ways_to_name_an_address_lead_nowhere(
    status: int, header: str, pointer: Any, canary: Any, canary_port: int, dialled: Any
) -> None:
    stub, to = pointer
    target = f"http://127.0.0.1:{canary_port}/v1"
    if header in ("Refresh", "Link", "Alt-Svc"):
        target = {"Refresh": f"0; url={target}", "Link": f"<{target}>; rel=preload"}.get(
            header, f'h2="127.0.0.1:{canary_port}"; ma=60'
        )
    to |= {"target": target, "status": status, "header": header}
    for provider, base_url in (("openai-compatible", f"{stub.url}/v1"), ("anthropic", stub.url)):
        llm = connect(LLMOptions(provider, "m", base_url=base_url, timeout_seconds=5.0), "sk-1")
        try:
            llm.query(request_of())
        except (ProviderFatal, ProviderRetry):
            continue
    assert set(dialled) <= {("127.0.0.1", int(stub.url.rpartition(":")[2]))}
    assert canary.count == 0
