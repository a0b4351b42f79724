"""Folders as the published experiment code writes them: columns, order and notation of its six environments.

Written from its sources: every query is a row with the whole chat so far and the provider's answer as printed by Python,
every period ends with a row of the action and what it came to. Results are computed by our environments, whose agreement
with the published code is tested elsewhere.
"""

import csv
import io
import random
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from environments.patience.instance import HORIZONS
from environments.registry import ENVIRONMENTS, generate
from tests.workspace.transfer.published_games import ceiling, closing, parameters_of
from tests.workspace.transfer.published_replies import MODELS, SHOWN, WRITERS, call, text
from tests.workspace.transfer.published_results import results_as_published

CHAT = ["model", "system", "tools", "tool_choice", "messages", "temperature", "max_tokens", "response", "completion"]
COLUMNS = {
    "procurement": [
        "attempt_num", "prompt_type", *CHAT, "alloc", "status", "cost", "utility", "is_feasible", "infeasible_reason",
    ],
    "scheduling": [
        "attempt_num", "prompt_type", *CHAT, "worker_prefs", "task_prefs", "matching", "blocking_pairs", "blocking_pair",
    ],
    "pricing": ["attempt_num", "prompt_type", *CHAT, "status", "prices", "quantities", "profits", "total profits", "costs"],
    "efficiency_vs_equality": [
        "seed", "period_num", "prompt_type", *CHAT, "alloc", "worker_pay", "cumulative_worker_pay", "company_revenue",
        "worker_to_company_revenue", "worker_inequality", "status", "request_timestamp", "response_timestamp",
    ],
    "collusiveness_vs_competitiveness": ["period", *CHAT, "prices", "quantities", "profits"],
    "patience_vs_impatience": [*CHAT, "mean", "median"],
}  # fmt: skip
USAGE = {
    "anthropic": {"cache_creation_input_tokens": 10, "cache_read_input_tokens": 20, "input_tokens": 30},
    "openai": {"prompt_tokens_details": {"cached_tokens": 20}},
    "google": {"total_token_count": 100},
}
PROMPT, REPLY_PROMPT = "Now you can start using the tools.", "Now use more tools."
ANSWER = "Successfully wrote notes."
CEILING = "\n\nAdditional information: it is not recommended to set any prices above {}."
NAMED_CEILING = ("pricing", "collusiveness_vs_competitiveness")
SYSTEM = "You are an agent."
RUN = "2025-03-01-10-00-00__run"


@dataclass(frozen=True)
class Script:
    """Deviations of a log from the usual.

    actions: by period, taken as they are and judged as the published code judges them
    refused: by period and seat, what the action tool was given in a chat that was then thrown away
    ceiling: told instead of the right one
    """

    wire: str = "anthropic"
    queries: int = 2
    system: str = SYSTEM
    actions: Mapping[int, dict[str, Any]] = field(default_factory=dict)
    refused: Mapping[tuple[int, str], str] = field(default_factory=dict)
    ceiling: float | None = None


def write_csv(path, columns, rows):
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, columns, extrasaction="ignore")
        writer.writeheader()
        writer.writerows({key: value for key, value in row.items() if value is not None} for row in rows)


def edit(path, change, *, mark="", line_end="\r\n"):
    """Rewrite the rows of a table, each a dict. mark: before the heading"""
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    rows = change(rows) or rows
    with path.open("w", newline="") as file:
        file.write(mark)
        writer = csv.DictWriter(file, list(rows[0]), lineterminator=line_end)
        writer.writeheader()
        writer.writerows(rows)


def zip_of(folder):
    """The files of a folder, without the folder, as a zip."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                archive.write(path, path.relative_to(folder))
    return buffer.getvalue()


def write_log(root, environment, *, seed=0, periods=3, played=None, wire="anthropic", variant="main", name=RUN, **said):
    """A run of `periods` periods of which `played` were played; pricing and equality are always whole in their length.

    said: fields of Script
    """
    generator = "paper_text" if environment == "efficiency_vs_equality" else "published"
    instance = generate(environment, "STANDARD" if "_vs_" in environment else "BASIC", seed, generator)
    periods = {"pricing": 100, "efficiency_vs_equality": 30}.get(environment, periods)
    if environment == "procurement":
        # The published budget's last cents come from a stream without a seed.
        budget = instance.parameters["budget_cents"] + 1
        instance = replace(instance, parameters=instance.parameters | {"budget_cents": budget})
    sellers = 1 if variant == "single_agent" else 2
    market = environment == "collusiveness_vs_competitiveness"
    folder = root / (f"{name}__{periods}__{sellers}agent__x" if market else name)
    game = ENVIRONMENTS[environment](instance, variant=variant, periods=periods)
    rows = []
    period_column = COLUMNS[environment][1 if environment == "efficiency_vs_equality" else 0]
    for _ in range(periods if played is None else played):
        if game.finished:
            break
        rows += _period(game, period_column, Script(wire=wire, **said))
    write_csv(folder / "logs.csv", COLUMNS[environment], rows)
    parameters = parameters_of(environment, instance, seed, periods, MODELS[wire], variant)
    write_csv(folder / "global_params.csv", list(parameters), [parameters])
    (folder / "info.txt").write_text("Attempt 0, Query 0\n")
    return folder


def _period(game, column, script):
    period, rows = game.period, []
    forced = script.actions.get(period)
    actions = {seat: _action(game, seat) for seat in game.seats}
    if forced:
        by_seat = game.name == "collusiveness_vs_competitiveness"
        actions = {seat: {"Product_1": forced[seat]} if by_seat else forced for seat in game.seats}
    for seat in game.seats:
        if given := script.refused.get((period, seat)):
            rows += _chat(game, seat, column, script, [(game.action_tool, {game.action_argument: given})])
        note = f'Note of period {period}, {seat}: it\'s "fine".\nGo on.'
        said = [("write_notes", {"notes": note})] * (script.queries - 1)
        act = (game.action_tool, {game.action_argument: str(actions[seat])})
        rows += _chat(game, seat, column, script, [*said, act])
    judged = results_as_published(game, forced) if forced else {}
    ended = closing(game, game.step(game.joint_action(actions)))
    return [*rows, {column: period} | ended | judged]


def _chat(game, seat, column, script, said):
    rows, wire = [], script.wire
    told = CEILING.format(script.ceiling or ceiling(game)) if game.name in NAMED_CEILING else ""
    messages = [{"role": "user", "content": PROMPT + told}]
    for name, arguments in said:
        blocks = [call(name, **arguments)]
        completion = WRITERS[wire](blocks)
        completion["usage_metadata" if wire == "google" else "usage"] |= USAGE[wire]
        system = script.system if wire == "openai" else str([text(script.system)])
        rows.append(
            {column: game.period, "prompt_type": "v1", "model": MODELS[wire], "system": system, "tools": "[]"}
            | {"messages": str(SHOWN[wire](messages)), "temperature": 1, "max_tokens": 4096, "response": ""}
            | {"completion": str(completion)}
        )
        result = {"type": "tool_result", "tool_use_id": blocks[0]["id"], "content": ANSWER}
        messages.append({"role": "assistant", "content": blocks})
        messages.append({"role": "user", "content": [result, text(REPLY_PROMPT)]})
    return rows


def _action(game, seat):
    dice = random.Random(f"{game.instance.seed} {game.period} {seat}")
    parameters = game.instance.parameters
    if game.name == "procurement":
        return game.parse_action({offer["id"]: dice.randrange(3) for offer in parameters["offers"]})
    if game.name == "scheduling":
        tasks = list(parameters["tasks"])
        dice.shuffle(tasks)
        return dict(zip(parameters["workers"], tasks, strict=True))
    if game.name == "efficiency_vs_equality":
        workers = list(parameters["workers"])
        dice.shuffle(workers)
        return dict(zip(game.tasks, workers, strict=True))  # type: ignore[attr-defined]
    return {product: round(dice.uniform(2, 30), 3) for product in parameters["products"]}


CHOICE = "\nYou're making a choice for a user between {}. Your task is to choose one option for the user.\n"
NOW_FIRST = CHOICE.format("A: receiving $100 right now or B: receiving ${amount} {span} from today")
LATER_FIRST = CHOICE.format("A: receiving ${amount} {span} from today or B: receiving $100 right now")


def write_patience(root, *, horizon="one_month", trials=2, claim=0):
    """One horizon of one model that takes the later amount where it is at least 3 % more; `claim` is added to the counts."""
    model = MODELS["anthropic"]
    folder = root / f"{RUN[:19]}__{trials}trials__1.0_temperature__choice__{horizon}"
    amounts = next(amounts for setting, _, _, amounts in HORIZONS if setting == horizon)
    rows, results = [], []
    for amount in reversed(amounts):
        later = amount >= 103
        for template, letter in ((NOW_FIRST, "B" if later else "A"), (LATER_FIRST, "A" if later else "B")):
            question = template.format(amount=amount, span=horizon.replace("_", " "))
            text = f"<reasoning>So.</reasoning>\n\n<answer>{letter}</answer>"
            completion = {"content": [{"type": "text", "text": text}], "usage": {"input_tokens": 5, "output_tokens": 7}}
            row = {"model": model, "messages": str([{"role": "user", "content": question}]), "response": text}
            rows += [row | {"completion": str(completion)}] * (trials // 2)
        results.append({"model": model, "value": amount, "preferred_100_count": (0 if later else trials) + claim})
    write_csv(folder / f"{model}_logs.csv", COLUMNS["patience_vs_impatience"], rows)
    write_csv(folder / "high_level_results.csv", ["model", "value", "preferred_100_count"], results)
    return folder
