"""How the models of a run were asked, in a line for each seat."""

from typing import Any

from agents.providers.learned import PARTS, WIRE_NAMES
from runs.models import Run

USUAL_TIERS = ("", "auto", "default", "standard")
THINKING = {"summary": "thinking summarized", "between_tools": "thinking between calls"}
NOTED_PARTS = ("temperature", "kept")
"""Parts of a request that change what the model does. Others only change the form of the request."""


def request_lines(run: Run) -> list[str]:
    """Sentences from `Run.conditions`, one if all seats were asked in the same way."""
    lines = {seat: _line(run, seat, sent) for seat, sent in sorted(run.conditions.items()) if sent.get("wire")}
    if len(set(lines.values())) == 1:
        return [f"Asked {line}" for line in set(lines.values())]
    return [f"{seat.replace('_', ' ').capitalize()} asked {line}" for seat, line in lines.items()]


def _line(run: Run, seat: str, sent: dict[str, Any]) -> str:
    """'by Responses, effort medium, output limit 32,000; gpt-6.2-sol-2026-11-17 answered'"""
    limit, tier, kind = sent.get("max_tokens"), sent.get("tier", ""), sent.get("thinking", "")
    requested_tier = sent.get("service_tier", "")
    parts = [
        f"by {WIRE_NAMES.get(sent['wire'], sent['wire'])}",
        f"effort {sent['effort']}" if sent.get("effort") else "",
        THINKING.get(kind, f"thinking {kind}" if kind else ""),
        "" if sent.get("forced", True) else "tools not forced",
        f"output limit {limit:,}" if limit else "",
        *(f"without {PARTS[part]}" for part in NOTED_PARTS if part in sent.get("left_out", ())),
        "" if tier in USUAL_TIERS and not requested_tier else f"service tier {tier or 'not named'}",
        f"{requested_tier} asked for" if tier != requested_tier and requested_tier else "",
    ]
    model = sent.get("model", "")
    answered = f"; {model} answered" if model and model != run.agent_in(seat).model else ""
    return ", ".join(filter(None, parts)) + answered
