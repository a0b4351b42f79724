"""Constructs that can turn text into code do not occur in the code, except where listed here."""

import ast
import re
from functools import cache

import yaml

from runs.launching.request import _Loader
from tests.data_folders import ROOT

PACKAGES = sorted(path.parent for path in ROOT.glob("*/__init__.py") if path.parent.name != "tests")
FILES = [path for package in PACKAGES for path in sorted(package.rglob("*.py")) if "migrations" not in path.parts]
TEMPLATES = sorted((ROOT / "templates").rglob("*.*"))

FORBIDDEN_CALLS = {"eval", "exec", "compile", "__import__", "ast.literal_eval", "os.system", "os.popen"}
FORBIDDEN_MODULES = {"pickle", "cPickle", "dill", "marshal", "shelve", "joblib", "yaml", "jsonpickle"}
NETWORK_MODULES = {"httpx", "httpx2", "httpcore2", "requests", "aiohttp", "http.client", "urllib3", "urllib.request"}
DIALS = "agents/providers"
"""Who may open a connection to an address that a person typed: what judges addresses is there, in transport.py."""

DELETE_THE_ROW = "accounts/services/deletions.py workspace/discussion/services/tags.py"

MARKS_SAFE = """
    workspace/discussion/mentions.py pages/guides/collection.py pages/guides/search.py
    pages/guides/templatetags/explained.py
    infrastructure/text/rendering.py infrastructure/text/table_cells.py
    pages/dashboard/templatetags/page.py pages/dashboard/templatetags/parts.py
"""
"""The guides are files of this program, and their search escapes what it quotes."""

KNOWN_FIELDS = """
    api/auth.py api/protocol/operations.py api/resources/instances.py api/resources/runs.py runs/engine/journal.py
    runs/engine/requests.py workspace/discussion/selectors/tags.py workspace/discussion/selectors/comments.py
    workspace/discussion/services/comments.py workspace/discussion/services/tags.py sharing/selectors.py
    workspace/webhooks/delivery/sending.py workspace/transfer/writing/selection.py pages/instances/selectors.py
    runs/episodes/services/opening.py
"""
"""Their field names are written out in the code; none comes from a request."""

READS_LITERALS = "environments/actions.py"
"""Of single tokens that a pattern has let through, in a scanner that bounds depth and length."""

READS_YAML = "runs/launching/request.py"
"""By a loader that makes nothing but strings, numbers, lists and dictionaries."""

READS_JSON = """
    accounts/outbox.py agents/baselines/reading.py analysis/base/published.py
    analysis/behaviour/published.py analysis/generalizability/measures.py api/mcp infrastructure/caches.py
    environments/json_text.py environments/actions.py environments/patience/cells.py
    environments/prompts/sets.py environments/procurement/optimum.py
    runs/engine/writing/spool.py runs/estimating/dry.py infrastructure/fields.py runs/catalog.py
    agents/checks/statements.py runs/conditions.py
"""
"""All but json_text.py read only what this program wrote or comes with; it bounds depth, length and digits for the rest."""

FORMATS = """
    infrastructure/schemas.py runs/selectors/outcomes.py agents/providers/faults.py pages/dashboard/views/endpoints.py
    pages/dashboard/views/run_lists.py agents/providers/learned.py
    runs/services/experiments.py
"""
"""They fill sentences of the code itself, by position or by name; no person or model writes one of those."""


def name_of(path):
    return str(path.relative_to(ROOT))


@cache
def calls():
    return [
        (path, ast.unparse(node.func), node)
        for path in FILES
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call)
    ]


def modules(path):
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return found


def allowed(path, where):
    return any(name_of(path) == name or name_of(path).startswith(f"{name}/") for name in where.split())


def test_the_search_covers_all_packages():
    assert {"accounts", "agents", "analysis", "environments", "runs"} <= {path.name for path in PACKAGES}
    assert len(FILES) > 150 and len(TEMPLATES) > 50


def test_texts_never_become_code():
    for path, name, call in calls():
        assert name not in FORBIDDEN_CALLS or (name == "ast.literal_eval" and allowed(path, READS_LITERALS)), path
        assert not any(word.arg == "shell" for word in call.keywords), path
        if name in ("json.load", "json.loads", "json.JSONDecoder"):
            assert allowed(path, READS_JSON), f"{path}: read JSON of unknown origin by read_json"
        assert not name.endswith((".extra", ".raw", "RawSQL")), path
        if name.endswith((".filter", ".exclude", ".get", "Q")) and not allowed(path, KNOWN_FIELDS):
            assert all(word.arg is not None for word in call.keywords), f"{path}: {name}(**...)"
        ours = isinstance(getattr(call.func, "value", None), ast.Constant)
        assert ours or not name.endswith((".format", ".format_map")) or allowed(path, FORMATS), f"{path}: {name}"
        if name.endswith(("mark_safe", "SafeString")) or (name.endswith("format_html") and _composed(call)):
            assert allowed(path, MARKS_SAFE), f"{path}: {name}"


def _composed(call):
    """Whether the format of a format_html call is anything but a text written out."""
    return not (call.args and isinstance(call.args[0], ast.Constant))


def test_yaml_is_loaded_without_creating_objects():
    used = {ast.unparse(call) for path, name, call in calls() if name.startswith("yaml.") and "load" in name}
    assert used == {"yaml.load(content.decode(), _Loader)"} and _Loader.__bases__ == (yaml.CSafeLoader,)


def test_only_the_checked_transport_opens_connections_and_no_code_unpickles():
    for path in FILES:
        named = {module.partition(".")[0] for module in modules(path)} & FORBIDDEN_MODULES
        assert not named or (named == {"yaml"} and allowed(path, READS_YAML)), path
        found = modules(path) & NETWORK_MODULES
        assert not found or allowed(path, DIALS), f"{path}: go through agents.providers.transport.http_client"


def test_templates_escape_everything_and_contain_no_script():
    unescaped = re.compile(r"\|\s*(safe|safeseq|urlize|urlizetrunc|striptags)\b|{%-?\s*debug\b")
    script = re.compile(r"<script(?![^>]*\ssrc=)|\son[a-z]+\s*=\s*[\"']|javascript:|\sstyle\s*=", re.IGNORECASE)
    for path in TEMPLATES:
        text = path.read_text()
        assert not unescaped.search(text) and not script.search(text), path
        # Mails are plain text, and so are the sentences that a page escapes when it shows them.
        assert path.suffix == ".txt" or "autoescape" not in text, path


def test_e_mail_addresses_are_compared_only_by_ascii_case_folding():
    """By AddressField and `ascii_lower`: databases and Python change the case of letters that are not ASCII."""
    other = re.compile(r"email__(?!in\b)i\w+|(?<!ascii_)[Ll]ower\(.*email|(email|address)\.(lower|upper|casefold)\(")
    assert [name_of(path) for path in FILES if other.search(path.read_text())] == []


def test_row_locks_do_not_block_inserts_that_refer_to_the_row():
    """See infrastructure.transactions.lock_row; tests/runs/test_deadlocks.py shows what follows from others, and
    tests/workspace/discussion/test_at_once.py why the lock of a row that is deleted next is another."""
    locks = [(path, call) for path, name, call in calls() if name.endswith(".select_for_update")]
    assert len(locks) > 30
    for path, call in locks:
        (weak,) = [word.value.value for word in call.keywords if word.arg == "no_key"]
        assert weak or allowed(path, DELETE_THE_ROW), f"{path}: {ast.unparse(call)}"
    strong = re.compile(r"FOR UPDATE\b.*[\"']")
    assert [name_of(path) for path in FILES if strong.search(path.read_text())] == []
