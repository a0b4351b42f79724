"""Every address of the site, and what each answers to whom.

An answer follows from the guard of the view (guards.py). An area is a folder beside this one with a file `matrix.py`. Its
ROWS have the answers that do not: they map an address, as the URL configuration spells it, and "get" or "post" to the status
codes for every one of the ROLES of `tests/visitors.py`, without a body. Its `ids(owner)`, if there is one, gives values for
the placeholders of its addresses.
"""

import re
from collections import defaultdict
from importlib import import_module
from pathlib import Path

from django.urls import URLResolver, get_resolver

from tests.security.guards import names_row, row_of

HERE = Path(__file__).resolve().parent
METHODS = ("get", "post", "put", "patch", "delete")
OPERATIONS = re.compile(r"^api/v1/(?!$|docs$|openapi\.json$)")
"""Addresses that know only bearer tokens, whatever else a request carries. What each answers to each kind of token is in
OPERATIONS of `tests/api/matrix.py`; here they have none, and test_url_matrix.py asks them without a token."""

FAR = 10**8
"""Added to an id, it makes one that no row has."""


def areas():
    paths = [path.relative_to(HERE.parents[1]).with_suffix("") for path in sorted(HERE.parent.rglob("matrix.py"))]
    return [import_module(".".join(path.parts)) for path in paths]


def exceptions():
    """The rows of all areas. Two areas may not claim one address."""
    joined = {}
    for area in areas():
        twice = set(joined) & set(area.ROWS)
        assert not twice, f"{area.__name__} repeats {twice}"
        joined |= area.ROWS
    return joined


def rows():
    """What GET and POST answer to all roles at every address but operations of the API, by method."""
    others = exceptions()
    return {route: row_of(route, view) | others.get(route, {}) for route, view in pages().items()}


def in_some_forms(some):
    """Every address; of a table or figure that comes in several forms, `some` of them, as the fixture says."""
    forms = defaultdict(list)
    for route in pages():
        forms[re.sub(r"\.(csv|json|tex)$", "", route)].append(route)
    return [route for name, routes in forms.items() for route in some(routes, name)]


def pages():
    """The view of every address that has a row: all but operations of the API."""
    return {route: view for route, view in views() if not OPERATIONS.match(route)}


def operations():
    """Every address of the API that wants a token."""
    return filter(OPERATIONS.match, every_route())


def every_route():
    """Every address, as the URL configuration spells it."""
    return dict(views())


def views(resolver=None, prefix=""):
    """The view of every address. If an address is listed twice, the first view is used."""
    found = {}
    for pattern in (resolver or get_resolver()).url_patterns:
        route = prefix + str(pattern.pattern)
        inner = views(pattern, route) if isinstance(pattern, URLResolver) else [(route, pattern.callback)]
        for address, view in inner:
            found.setdefault(address, view)
    return found.items()


def ids_of(owner):
    """Values for the placeholders of all areas: rows of the organization of a membership."""
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


COPIED = {
    "agents/": "<int:agent_id>",
    "instances/designs/": "<int:design_id>",
    "prompts/": "<int:prompt_id>",
    "studies/": "<int:study_id>",
}
"""What the parameter `from` names, by the beginning of a route; elsewhere it is an experiment."""


def queries(ids, word, route):
    """Every parameter that a page reads and that may name a row, by its id or by its name, but for tags."""
    copied = next((row for begin, row in COPIED.items() if route.startswith(begin)), "<int:experiment_id>")
    member, model = ids["<int:membership_id>"], f"{word.lower()}-model"
    return {
        **dict.fromkeys(("agent", "agents", "rival"), model),
        **{"experiment": ids["<int:experiment_id>"], "from": ids[copied]},
        **dict.fromkeys(("member", "membership", "organization"), member),
        **{"run": ids["<int:run_id>"], "endpoint": ids["<int:endpoint_id>"], "agent_id": ids["<int:agent_id>"]},
        **{"actor": ids["(user_id)"], "environment": "pricing", "difficulty": "BASIC"},
    }
