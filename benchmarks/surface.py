"""Compares the output of two versions of the code: `python -m benchmarks surface BEFORE AFTER` with the folders of both.

The code in BEFORE creates a site with runs of baselines in every environment. Each version then works on a copy of this
site. It lists its routes, its OpenAPI document, the exports of the runs, and the texts of all pages whose address has no
argument or the id or name of an existing row. Prints the differences; the exit code is 1 if there are any.
"""

import difflib
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.harness import site_variables

LAUNCHES = (
    ["procurement", "BASIC", "random", "procurement-hill-climber"],
    ["scheduling", "BASIC", "random", "scheduling-knuth"],
    ["pricing", "BASIC", "random", "pricing-drift-tracker"],
    ["efficiency_vs_equality", "STANDARD", "random", "equality-greedy-efficiency"],
    ["collusiveness_vs_competitiveness", "STANDARD", "random", "collusion-nash"],
    ["patience_vs_impatience", "STANDARD", "random", "patience-rate"],
)
"""Environment, difficulty and agents of each experiment."""

MAKE = """
from django.core.management import call_command
for command in ("migrate", "prepare"):
    call_command(command, verbosity=0)
from runs import bootstrap
bootstrap.ensure_organization(allow_environment_keys=False)
"""

DUMP = r"""
import json, re
from itertools import product
from django.apps import apps
from django.conf import settings
from django.test import Client
from django.urls import URLPattern, get_resolver

settings.ALLOWED_HOSTS = ["*"]
routes, shown = [], {}
def walk(patterns, prefix):
    for pattern in patterns:
        route = prefix + str(pattern.pattern)
        if isinstance(pattern, URLPattern):
            routes.append(route)
        else:
            walk(pattern.url_patterns, route)
walk(get_resolver().url_patterns, "")
agent = apps.get_model("runs", "Agent").objects.order_by("id").first()
numbers, texts = (1, 2), (agent.slug, "pricing", "BASIC", "csv", "json", "benchmark", "litmus")
client = Client()
client.force_login(apps.get_model("accounts", "User").objects.get())
def plain(html):
    html = re.sub(r"<(script|style)\b.*?</\1>", " ", html, flags=re.S)
    html = re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", html))
    html = re.sub(r"commit [0-9a-f]+", "commit", html)
    return re.sub(r"\d+ (second|minute|hour|day)s? ago|\b[0-9A-Za-z_-]{40,}\b|\d\d:\d\d(:\d\d)?|[0-9.]+ m?s\b", "~", html)
for route in routes:
    arguments = re.findall(r"<(?:(\w+):)?\w+>", route)
    if "(?P" in route or len(arguments) > 2 or route.startswith(("api/v1", "accounts/logout", "static")):
        continue
    choices = product(*(numbers if kind == "int" else texts for kind in arguments))
    for values in choices:
        filled = iter(values)
        path = "/" + re.sub(r"<[^>]*>", lambda _: str(next(filled)), route)
        reply = client.get(path)
        body = b"".join(reply.streaming_content) if reply.streaming else reply.content
        is_text = re.match("text|application/json", reply.headers.get("Content-Type", ""))
        shown[path] = [str(reply.status_code), reply.headers.get("Location", ""), plain(body.decode()) if is_text else ""]
document = client.get("/api/v1/openapi.json").json()
print(json.dumps({"routes": routes, "pages": shown, "openapi": json.dumps(document, indent=1).splitlines()}))
"""


def run(tree: Path, data: Path, *arguments: str) -> str:
    """Run a management command of a version, and return its output."""
    variables = site_variables(data, SECRET_KEY="", PYTHONHASHSEED="0")
    command = [sys.executable, "manage.py", *arguments]
    return subprocess.run(command, cwd=tree, env=variables, check=True, stdout=subprocess.PIPE, text=True).stdout


def surface(tree: Path, made: Path, folder: Path) -> dict[str, list[str]]:
    """Return the output of a version on a copy of the site in `made`: lines by title."""
    data = folder / tree.name
    shutil.copytree(made, data)
    dump = json.loads(run(tree, data, "shell", "--no-imports", "-c", DUMP))
    exports = {
        f"experiment {number} as {form}": run(tree, data, "export", "--experiment", str(number), "--format", form)
        for number in range(1, len(LAUNCHES) + 1)
        for form in ("jsonl", "csv")
    }
    return (
        {f"page {path}": reply for path, reply in dump["pages"].items()}
        | {"routes": sorted(dump["routes"]), "openapi": dump["openapi"]}
        | {title: exported.splitlines() for title, exported in exports.items()}
    )


def main(before: Path, after: Path) -> int:
    with tempfile.TemporaryDirectory() as name:
        folder, made = Path(name), Path(name) / "made"
        made.mkdir(mode=0o700)
        run(before, made, "shell", "--no-imports", "-c", MAKE)
        for environment, difficulty, *agents in LAUNCHES:
            game = ["--environment", environment, "--difficulty", difficulty, "--agent", *agents]
            run(before, made, "launch", *game, "--seeds", "0", "--periods", "5", "--wait", "--json")
        old, new = (surface(tree.resolve(), made, folder) for tree in (before, after))
    different = [title for title in sorted(old.keys() | new.keys()) if old.get(title) != new.get(title)]
    for title in different:
        lines = difflib.unified_diff(old.get(title, []), new.get(title, []), "before", "after", n=0, lineterm="")
        print(f"== {title}", *lines, sep="\n")
    print(f"{len(old)} compared, {len(different)} different")
    return bool(different)
