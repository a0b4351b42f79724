"""Which guard every address has, and what follows from it for everybody.

The guard of a view is read from its decorators and compared with what GUARDS and PREFIXES say of its address. So a guard that
is taken away, weakened or forgotten fails a test, and a page with the usual guard needs no line here.
"""

from inspect import getclosurevars, isfunction

from tests.visitors import ROLES

RIGHTS = {"may_edit": "editor", "may_manage": "owner", "is_operator": "operator"}
"""The guard of a view that asks for this property of a membership, or of the person."""

ADMITTED = {
    "public": set(ROLES),
    "person": set(ROLES) - {"anonymous"},
    "viewer": set(ROLES) - {"anonymous", "removed member"},
    "editor": {"editor", "owner", "foreign owner"},
    "owner": {"owner", "foreign owner"},
    "operator": set(),
}
"""Who passes each guard. A foreign owner has these rights too, in another organization."""

PREFIXES = {
    "organization/": "owner",
    "account/tokens/": "viewer",
    "account/": "person",
    **dict.fromkeys(("s/", "p/", "docs/", "methodology/", "invitations/", "api/v1/", "mcp", "results/"), "public"),
}
"""The guard of whole areas. Elsewhere a page that takes forms needs an editor, and one that is only read a viewer."""

GUARDS = {
    "public": ("account/login/", "account/logout/", "account/sessions/", "account/oidc/<str:provider_id>/login/"),
    # Redirects of the library, which nothing marks as those of a person.
    "viewer": (
        *(f"account/social/{page}/" for page in ("login/cancelled", "login/error", "signup", "connections")),
        *("organization/", "organization/leave/", "organization/new/", "organization/switch/"),
        # One's own, and what every member may say.
        *("first-steps/dismiss/", "runs/<int:run_id>/star/", "runs/<int:run_id>/periods/<int:index>/star/"),
        *("runs/<int:run_id>/comments/", "runs/<int:run_id>/periods/<int:index>/comments/"),
        *("comments/<int:comment_id>/edit/", "comments/<int:comment_id>/delete/", "mentions/read/"),
        *("runs/views/new/", "runs/views/<int:view_id>/", "runs/views/<int:view_id>/delete/"),
        *("runs/selected/", "experiments/selected/"),
        *(
            "play/<int:episode_id>/periods/<int:period>/",
            "play/<int:episode_id>/draft/",
            "play/<int:episode_id>/resign/",
        ),
        # They ask for an editor themselves, for some of what they do. Their rows are in the tables of their areas.
        *("tags/<int:tag_id>/", "prompts/<int:prompt_id>/", "prompts/preview/", "play/"),
        *(
            "deleted/<slug:kind>/<int:pk>/remove/",
            r"^deleted/(?P<kind>[-\w]+)/(?P<numbers>\d{1,18}(?:,\d{1,18}){0,999})/undo/$",
        ),
    ),
    "editor": (
        *("experiments/import/<int:upload_id>/", "experiments/import/<int:upload_id>/live/"),
        *("agents/list-prices/", "instances/designs/preview/"),
    ),
    "owner": ("spend/budget/", "spend/members/<int:membership_id>/budget/"),
    "operator": ("seasons/new/", "seasons/<slug:slug>/close/", "seasons/<slug:slug>/reveal/"),
}
"""Addresses whose guard is another than that of their area."""


def layers(view):
    """A view and everything that its decorators wrap."""
    while view is not None:
        yield view
        view = getattr(view, "__wrapped__", None)


def closures(view, name):
    """The values of a name that the decorators of a view hold, from the outside in."""
    held = (getclosurevars(layer).nonlocals for layer in layers(view) if isfunction(layer))
    return [values[name] for values in held if name in values]


def guard_of(view):
    """Whom the decorators of a view let in. Django's own and those of allauth are marked in the same way."""
    if not getattr(view, "login_required", True):
        return "public"
    if not getattr(view, "organization_required", True):
        return "person"
    rights = {RIGHTS[right] for right in closures(view, "right")}
    return next((guard for guard in ("operator", "owner", "editor") if guard in rights), "viewer")


def methods_of(view):
    """The methods that a view states, or none: then it answers any as it answers GET."""
    return next((tuple(methods) for methods in closures(view, "request_method_list")), ())


def of_a_library(view):
    """Whether a view is of allauth, which checks people itself. All its answers are in the table of its area."""
    return view.__module__.startswith("allauth.")


def expected_guard(route, view):
    named = next((guard for guard, routes in GUARDS.items() if route in routes), None)
    area = next((guard for prefix, guard in PREFIXES.items() if route.startswith(prefix)), None)
    return named or area or ("editor" if "POST" in methods_of(view) else "viewer")


def names_row(route):
    """Whether an address holds the id of a row of an organization."""
    return "_id" in route and "provider_id" not in route


def row_of(route, view):
    """What GET and POST without a body answer to all ROLES, by method, as the guard and the methods of the view imply.

    A page that is only posted to leads elsewhere, one that shows its form too refuses the empty one.
    """
    guard, methods = guard_of(view), methods_of(view)
    refused = dict.fromkeys(ROLES, "403") | {"anonymous": "302"}
    row = {}
    for method in ("GET", "POST"):
        allowed = not methods or method in methods
        done = "200" if method == "GET" or not methods else "422" if "GET" in methods else "302"
        codes = {role: (done if allowed else "405") if role in ADMITTED[guard] else refused[role] for role in ROLES}
        if guard != "public" and allowed and names_row(route):
            codes["foreign owner"] = "404"
        row[method.lower()] = " ".join(codes.values())
    return row
