"""The NinjaAPI object with all routers."""

from ninja import NinjaAPI

from api.auth import READ
from api.protocol import errors
from api.protocol.bodies import FiniteRenderer, StrictParser
from api.resources import (
    agents,
    experiments,
    exports,
    instances,
    ledger,
    me,
    notes,
    questions,
    registrations,
    runs,
    watches,
)
from api.resources.leaderboards import figures, leaderboards, outside_columns
from api.resources.playing import episodes, prompts, seats

DESCRIPTION = """
Launch experiments, watch them, and read what the agents did, by program.

**Tokens.** Every request carries `Authorization: Bearer ee_…`. Make a token on *Your account, API tokens*, or as an owner
one of the organization's own on *Organization, API tokens*. A token acts in one organization, within its scopes: `read`,
`launch`, `manage`, `play`. The operations under `/episode` take the token of an episode's seat instead, `ep_…`.

**Lists** come in pages: send `next_cursor` as `cursor` until it is null.

**Errors** are `{"error": {"code", "message", "fields"}}`; `fields` has a sentence for each wrong field. What belongs to
another organization is answered as what does not exist, 404.

**Creating twice is avoided** with an `Idempotency-Key` header: the same request with the same key creates once.
"""

api = NinjaAPI(
    title="EconEvals API",
    version="1",
    description=DESCRIPTION.strip(),
    openapi_url=None,
    docs_url=None,
    urls_namespace="api-v1",
    auth=READ,
    parser=StrictParser(),
    renderer=FiniteRenderer(),
)
api.get_openapi_operation_id = lambda operation: operation.view_func.__name__  # type: ignore[method-assign]
errors.install(api)
# Paths of `experiments` and `runs` can end in any action, so they come after paths that end in a fixed word.
for router in (
    me.router, exports.router, ledger.router, runs.periods_router, figures.router, runs.findings_router,
    experiments.stages_router, experiments.router, runs.router, leaderboards.router, outside_columns.router,
    notes.router, agents.router, instances.router, episodes.router, seats.router, prompts.router, watches.router,
    questions.router, registrations.router,
):  # fmt: skip
    api.add_router("", router)
