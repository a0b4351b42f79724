"""The same launch in other words: as a command line, and as a call of the API. Pure functions of a stored launch."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from environments.generation import CUSTOM

USUAL: Mapping[str, Any] = {"variants": ["main"], "generator": "published", "reasoning_wording": "auto"}
SAME = (
    "environments",
    "difficulties",
    "seeds",
    "agents",
    "variants",
    "periods",
    "generator",
    "reasoning_wording",
    "rival",
)


def spec_as_command(spec: Mapping[str, Any], name: str = "", budget_nano: int | None = None) -> str:
    """`spec` is as LaunchPlan.as_spec has it."""
    words = ["python", "manage.py", "launch", "--environment", *spec["environments"]]
    words += ["--difficulty", *spec["difficulties"], "--seeds", spec["seeds"], "--agent", *spec["agents"]]
    if spec.get("variants", ["main"]) != ["main"]:
        words += ["--variant", *spec["variants"]]
    if spec.get("periods") is not None:
        words += ["--periods", str(spec["periods"])]
    for option in ("generator", "reasoning_wording"):
        if spec.get(option, USUAL[option]) != USUAL[option]:
            words += [f"--{option.replace('_', '-')}", spec[option]]
    if spec.get("rival"):
        words += ["--rival", spec["rival"]]
    for setting, value in (spec.get("settings") or {}).items() if CUSTOM in spec["difficulties"] else ():
        words += ["--set", f"{setting}={value}"]
    if budget_nano is not None:
        words += ["--budget", _dollars(budget_nano)]
    if spec.get("run_budget_nano") is not None:
        words += ["--run-budget", _dollars(spec["run_budget_nano"])]
    if name:
        words += ["--name", name]
    return shlex.join(words)


def spec_as_request(spec: Mapping[str, Any], name: str = "", budget_nano: int | None = None) -> dict[str, Any]:
    """The body that launches the same by the API; what is as usual is left out."""
    body = {key: spec.get(key) for key in SAME if spec.get(key) not in (None, USUAL.get(key))}
    if CUSTOM in spec["difficulties"] and spec.get("settings"):
        body["settings"] = spec["settings"]
    for key, nano in (("budget_usd", budget_nano), ("run_budget_usd", spec.get("run_budget_nano"))):
        if nano is not None:
            body[key] = float(_dollars(nano))
    return body | ({"name": name} if name else {})


def request_as_curl(body: Mapping[str, Any], address: str, key: str) -> str:
    """To be pasted into a shell in which TOKEN is set."""
    lines = [
        f"curl {shlex.quote(address)}",
        '-H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json"',
        f'-H "Idempotency-Key: {key}"',
        f"-d {shlex.quote(json.dumps(body, ensure_ascii=False))}",
    ]
    return " \\\n  ".join(lines)


def _dollars(nano: int) -> str:
    return f"{Decimal(nano) / 1_000_000_000:f}"
