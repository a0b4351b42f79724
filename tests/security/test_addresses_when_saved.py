"""An endpoint on our own network is refused when it is entered, however its address is spelled."""

from typing import Any

import pytest
from django.core.exceptions import ValidationError

from accounts.addresses import check_base_url
from agents.addresses import is_public
from tests.security.address_vectors import ALLOWED, NAMES, VECTORS

pytestmark = pytest.mark.usefixtures("name_server")


@pytest.fixture(autouse=True)
def _none_of_our_network(settings: Any) -> None:
    settings.ALLOW_PRIVATE_ENDPOINTS = False


def test_the_table_is_long_enough() -> None:
    assert len(set(VECTORS)) == len(VECTORS) >= 150


@pytest.mark.parametrize("vector", VECTORS)
def test_it_is_refused_in_one_sentence(vector: str, canary: Any, canary_port: int, dialled: list[Any]) -> None:
    with pytest.raises(ValidationError) as refused:
        check_base_url(vector.format(port=canary_port))
    assert len(refused.value.messages) == 1 and refused.value.messages[0].endswith(".")
    assert not dialled and canary.count == 0


@pytest.mark.parametrize("address", ALLOWED)
def test_an_address_of_the_public_internet_is_taken(address: str, dialled: list[Any]) -> None:
    assert check_base_url(address) == address
    assert not dialled


def test_an_address_of_our_network_is_taken_where_that_is_allowed(settings: Any) -> None:
    settings.ALLOW_PRIVATE_ENDPOINTS = True
    for address in ("http://127.0.0.1:8080/v1", "http://localhost:11434/v1", "http://[::1]:8000", "http://10.0.0.8/v1"):
        assert check_base_url(address) == address


@pytest.mark.parametrize("name", NAMES)
def test_only_the_public_names_of_the_table_are_public(name: str) -> None:
    assert all(map(is_public, NAMES[name])) == name.startswith("good")


@pytest.mark.parametrize("text", ["", "127.0.0.1 ", "localhost", "999.1.1.1", "::ffff:8.8.8.8%lo", "8.8.8"])
def test_what_is_no_address_is_not_public(text: str) -> None:
    assert not is_public(text)


@pytest.mark.parametrize("address", ["::ffff:8.8.8.8", "64:ff9b::8.8.8.8", "2606:4700::1111", "8.8.8.8"])
def test_addresses_that_hold_a_public_one_are_public(address: str) -> None:
    assert is_public(address)
