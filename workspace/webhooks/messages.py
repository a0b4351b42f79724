"""What a receiver is sent: the event itself, or one sentence about it in the form that chats take."""

import json
from typing import Any

from environments.json_text import read_json
from workspace.webhooks.models import MessageForm

ESCAPED = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})
"""In the texts of Slack these begin entities, links and mentions of everybody."""

MOST_CONTENT = 2000
"""Characters that Discord takes."""


def message_of(body: str, form: str) -> str:
    """The JSON text to send for a stored event."""
    if form == MessageForm.EVENT:
        return body
    text = sentence_of(read_json(body))
    if form == MessageForm.TEXT:
        return json.dumps({"text": text.translate(ESCAPED)}, ensure_ascii=False)
    # A name such as @everyone mentions nobody.
    return json.dumps({"content": text[:MOST_CONTENT], "allowed_mentions": {"parse": []}}, ensure_ascii=False)


def sentence_of(message: dict[str, Any]) -> str:
    """'Run 7 finished: pricing BASIC seed 0, GPT-5, score 93.0 of 100. https://…'"""
    data = message["data"]
    if "budget" in data:
        budget = data["budget"]
        about = budget.get("run") or budget.get("experiment") or budget
        return f"{budget['percent']} % of a budget of {message['organization']['name']} is spent. {about['url']}"
    if "watch" in data:
        return f"{data['watch']['sentence']} {data['watch']['url']}"
    if "run" in data:
        run = data["run"]
        game = " ".join(str(run[name]) for name in ("environment", "difficulty") if run[name] is not None)
        seed = f" seed {run['seed']}" if run["seed"] is not None else ""
        score = f", score {100 * run['score']:.1f} of 100" if run["score"] is not None else ""
        reason = f" {run['reason']}" if run["reason"] else ""
        return f"Run {run['id']} {run['state']}: {game}{seed}, {run['agent']['name']}{score}.{reason} {run['url']}"
    if "experiment" in data:
        experiment = data["experiment"]
        return f"Experiment {experiment['name']} {experiment['state']}: {experiment['summary']}. {experiment['url']}"
    return str(data["message"])
