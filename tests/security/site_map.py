"""Every address of the site, and the rows of all areas that say what each answers to whom.

An area is a folder beside this one with a file `matrix.py`. Its ROWS map an address, as the URL configuration spells it,
to the status codes of GET and of POST for every one of the ROLES of `tests/visitors.py`; a third entry may map further
methods ("put", "patch", "delete") to theirs. Its `ids(owner)`, if there is one, gives values for the placeholders of its
addresses.
"""

import re
from importlib import import_module
from pathlib import Path

from django.urls import URLResolver, get_resolver

HERE = Path(__file__).resolve().parent
METHODS = ("get", "post", "put", "patch", "delete")
OPERATIONS = re.compile(r"^api/v1/(?!$|docs$|openapi\.json$)")
"""Addresses that know only bearer tokens, whatever else a request carries. What each answers to each kind of token is in
OPERATIONS of `tests/api/matrix.py`; here they have no rows, and test_url_matrix.py asks them without a token."""

FAR = 10**8
"""Added to an id, it makes one that no row has."""


def areas():
    return [import_module(f"tests.{path.parent.name}.matrix") for path in sorted(HERE.parent.glob("*/matrix.py"))]


def rows():
    """The rows of all areas. Two areas may not claim one address."""
    joined = {}
    for area in areas():
        twice = set(joined) & set(area.ROWS)
        assert not twice, f"{area.__name__} repeats {twice}"
        joined |= area.ROWS
    return joined


def expected(row):
    """Status codes of all roles, by method."""
    get, post, *further = row
    return {"get": get, "post": post} | dict(*further)


def routes():
    """Every address that has a row, as the URL configuration spells it: all but operations of the API."""
    return (route for route in every_route() if not OPERATIONS.match(route))


def operations():
    """Every address of the API that wants a token."""
    return filter(OPERATIONS.match, every_route())


def every_route(resolver=None, prefix=""):
    for pattern in (resolver or get_resolver()).url_patterns:
        route = prefix + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            yield from every_route(pattern, route)
        else:
            yield route


def ids_of(owner):
    """What stands for the placeholders of all areas: rows of the organization of a membership."""
    made = (area.ids(owner) for area in areas() if hasattr(area, "ids"))
    return {placeholder: value for ids in made for placeholder, value in ids.items()}


def absent(ids):
    """The same with ids that no row has."""
    far = lambda value: re.sub(r"\d+", lambda found: str(int(found[0]) + FAR), str(value))  # noqa: E731
    return {name: far(value) if names_row(name) else value for name, value in ids.items()}


def address(route, ids):
    found = "/" + route
    # The longest first: some say what stands before them as well.
    for placeholder, value in sorted(ids.items(), key=lambda item: -len(item[0])):
        found = found.replace(placeholder, str(value))
    assert "<" not in found, f"Give a value for the placeholder of {found} in ids() of its area's matrix.py."
    return found


def names_row(route):
    """Whether an address holds the id of a row of an organization."""
    return "_id" in route and "provider_id" not in route
