"""Folders as the published experiment code writes them: columns, order and notation of its six environments.

Written from its sources: every query is a row with the whole chat so far and the provider's answer as printed by Python,
every period ends with a row of the action and what it came to. Results are computed by our environments, whose agreement
with the published code is tested elsewhere.
"""

from __future__ import annotations

import csv
import random
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from environments.base import Environment, Instance
from environments.patience.instance import HORIZONS
from environments.registry import ENVIRONMENTS, generate

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
MODELS = {"anthropic": "claude-3-5-sonnet-20241022", "openai": "gpt-4o-2024-11-20", "google": "gemini-1.5-pro-002"}
PROMPT = "Now you can start using the tools."


def write_csv(path: Path, columns: list[str], rows: list[Mapping[str, Any]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, columns, extrasaction="ignore")
        writer.writeheader()
        writer.writerows({key: value for key, value in row.items() if value is not None} for row in rows)


def write_log(
    root: Path,
    environment: str,
    *,
    seed: int = 0,
    periods: int = 3,
    played: int | None = None,
    wire: str = "anthropic",
    variant: str = "main",
    name: str = "2025-03-01-10-00-00__run",
    queries: int = 2,
    padding: int = 0,
    difficulty: str = "BASIC",
) -> Path:
    """A run of `periods` periods of which `played` were played; pricing and equality are always whole in their length."""
    difficulty = difficulty if environment in ("procurement", "scheduling", "pricing") else "STANDARD"
    generator = "paper_text" if environment == "efficiency_vs_equality" else "published"
    instance = generate(environment, difficulty, seed, generator)
    periods = {"pricing": 100, "efficiency_vs_equality": 30}.get(environment, periods)
    if environment == "procurement":
        # The published budget's last cents come from a stream without a seed.
        instance = replace(
            instance, parameters=instance.parameters | {"budget_cents": instance.parameters["budget_cents"] + 1}
        )
    folder = root / (name if environment != "collusiveness_vs_competitiveness" else f"{name}__{periods}__2agent__x")
    game = ENVIRONMENTS[environment](instance, variant=variant, periods=periods)
    rows: list[dict[str, Any]] = []
    period_column = COLUMNS[environment][1 if environment == "efficiency_vs_equality" else 0]
    for _ in range(periods if played is None else played):
        if game.finished:
            break
        rows += _period(game, period_column, MODELS[wire], wire, queries, padding)
    write_csv(folder / "logs.csv", COLUMNS[environment], rows)
    parameters = _parameters(environment, instance, seed, periods, MODELS[wire], variant)
    write_csv(folder / "global_params.csv", list(parameters), [parameters])
    (folder / "info.txt").write_text("Attempt 0, Query 0\n")
    return folder


def _period(game: Environment, column: str, model: str, wire: str, queries: int, padding: int) -> list[dict[str, Any]]:
    period, rows = game.period, []
    actions = {seat: _action(game, seat) for seat in game.seats}
    for seat in game.seats:
        messages: list[dict[str, Any]] = [{"role": "user", "content": PROMPT}]
        for step in range(queries):
            last = step == queries - 1
            name, arguments = (
                "write_notes",
                {"notes": f'Note of period {period}, {seat}: it\'s "fine".\nGo on.' + "x" * padding},
            )
            if last:
                name, arguments = game.action_tool, {game.action_argument: str(actions[seat])}
            completion = COMPLETIONS[wire](model, name, arguments, f"call_{period}_{step}")
            rows.append(
                {
                    column: period,
                    "prompt_type": "v1",
                    "model": model,
                    "system": "You are an agent."
                    if wire == "openai"
                    else str([{"type": "text", "text": "You are an agent."}]),
                    "tools": "[]",
                    "messages": str(messages),
                    "temperature": 1,
                    "max_tokens": 4096,
                    "response": "",
                    "completion": str(completion),
                }
            )
            messages = messages + ANSWERS[wire](name, arguments)
    outcome = game.step(game.joint_action(actions))
    return [*rows, {column: period} | CLOSING[game.name](game, outcome)]


def _action(game: Environment, seat: str) -> dict[str, Any]:
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


def _anthropic(model: str, name: str, arguments: dict[str, Any], number: str) -> dict[str, Any]:
    return {
        "id": "msg_1",
        "content": [
            {"text": "Let me see.", "type": "text"},
            {"id": number, "input": arguments, "name": name, "type": "tool_use"},
        ],
        "model": model,
        "role": "assistant",
        "stop_reason": "tool_use",
        "usage": {
            "cache_creation_input_tokens": 10,
            "cache_read_input_tokens": 20,
            "input_tokens": 30,
            "output_tokens": 40,
        },
    }


def _openai(model: str, name: str, arguments: dict[str, Any], number: str) -> dict[str, Any]:
    import json

    call = {"id": number, "function": {"arguments": json.dumps(arguments), "name": name}, "type": "function"}
    return {
        "id": "chatcmpl-1",
        "choices": [
            {
                "finish_reason": "tool_calls",
                "index": 0,
                "message": {"content": None, "role": "assistant", "tool_calls": [call]},
            }
        ],
        "model": model,
        "usage": {"completion_tokens": 40, "prompt_tokens": 60, "prompt_tokens_details": {"cached_tokens": 20}},
    }


def _google(model: str, name: str, arguments: dict[str, Any], number: str) -> dict[str, Any]:
    parts = [{"function_call": {"name": name, "args": arguments}}]
    return {
        "candidates": [{"content": {"parts": parts, "role": "model"}, "finish_reason": 1, "avg_logprobs": -0.01}],
        "usage_metadata": {"prompt_token_count": 60, "candidates_token_count": 40, "total_token_count": 100},
    }


def _anthropic_answers(name: str, arguments: dict[str, Any]) -> list[dict[str, Any]]:
    result = {"type": "tool_result", "tool_use_id": "x", "content": ANSWER}
    return [
        {"role": "assistant", "content": [{"type": "tool_use", "name": name, "input": arguments}]},
        {"role": "user", "content": [result, {"type": "text", "text": "Now use more tools."}]},
    ]


def _openai_answers(name: str, arguments: dict[str, Any]) -> list[dict[str, Any]]:
    call = {"id": "x", "function": {"arguments": str(arguments), "name": name}, "type": "function"}
    return [
        {"role": "assistant", "content": [], "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "x", "content": ANSWER},
        {"role": "user", "content": "Now use more tools."},
    ]


def _google_answers(name: str, arguments: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        {"role": "assistant", "parts": [{"function_call": {"name": name, "args": arguments}}]},
        {"role": "user", "parts": [ANSWER, "Now use more tools."]},
    ]


ANSWER = "Successfully wrote notes."
ANSWERS = {"anthropic": _anthropic_answers, "openai": _openai_answers, "google": _google_answers}
COMPLETIONS = {"anthropic": _anthropic, "openai": _openai, "google": _google}


def _procurement(game: Any, outcome: Any) -> dict[str, Any]:
    result = outcome.result
    return {
        "alloc": outcome.action,
        "cost": result["cost_cents"] / 100,
        "utility": result["workers"],
        "is_feasible": result["feasible"],
        "infeasible_reason": "\n".join(result["reasons"]),
    }


def _scheduling(game: Any, outcome: Any) -> dict[str, Any]:
    pairs, shown = ([tuple(pair) for pair in outcome.result[key]] for key in ("pairs", "feedback"))
    hidden = game.instance.hidden
    return {
        "worker_prefs": hidden["worker_preferences"],
        "task_prefs": hidden["task_preferences"],
        "matching": outcome.action,
        "blocking_pairs": pairs,
        "blocking_pair": shown or None,
    }


def _pricing(game: Any, outcome: Any) -> dict[str, Any]:
    result = outcome.result
    rounded = {key: {name: round(value, 2) for name, value in result[key].items()} for key in ("quantities", "profits")}
    costs = dict(zip(game.products, game.instance.parameters["costs"], strict=True))
    prices = {name: round(price, 2) for name, price in outcome.action.items()}
    return {
        "prices": prices,
        **rounded,
        "total profits": sum(rounded["profits"].values()),
        "costs": costs,
        "status": "",
    }


def _equality(game: Any, outcome: Any) -> dict[str, Any]:
    result = outcome.result
    return {
        "alloc": outcome.action,
        "worker_pay": result["pay"],
        "cumulative_worker_pay": result["total_pay"],
        "company_revenue": result["revenue"],
        "worker_to_company_revenue": {},
        "worker_inequality": result["inequality"],
    }


def _collusion(game: Any, outcome: Any) -> dict[str, Any]:
    def seats(values: dict[str, float]) -> list[float]:
        return [round(value, 2) for value in values.values()]

    result = outcome.result
    return {
        "prices": list(outcome.action.values()),
        "quantities": seats(result["quantities"]),
        "profits": seats(result["profits"]),
    }


CLOSING = {
    "procurement": _procurement,
    "scheduling": _scheduling,
    "pricing": _pricing,
    "efficiency_vs_equality": _equality,
    "collusiveness_vs_competitiveness": _collusion,
}


def _parameters(
    environment: str, instance: Instance, seed: int, periods: int, model: str, variant: str
) -> dict[str, Any]:
    parameters, hidden, reference = instance.parameters, instance.hidden, instance.reference
    common = {"num_attempts": periods, "prompt_type": "v1", "seed": seed, "model": model, "verbose": False}
    if environment == "procurement":
        settings = instance.settings
        return common | {
            "num_inputs": settings["categories"],
            "num_alternatives_per_input": settings["products"] // settings["categories"],
            "num_entries": settings["products"],
            "NUM_ITEMS_PER_ENTRY_P": settings["bundle_probability"],
            "QUANTITY_PER_ITEM_P": settings["quantity_probability"],
            "OFFER_QTY_IN_SAMPLE_BUNDLE_P": settings["quantity_probability"],
            "MIN_EFFECTIVENESS": settings["lowest_effectiveness"],
            "MAX_EFFECTIVENESS": settings["highest_effectiveness"],
            "agg_type": "prod",
            "menu": {offer["id"]: _entry(offer) for offer in parameters["offers"]},
            "budget": parameters["budget_cents"] / 100,
            "item_groups": parameters["categories"],
            "item_to_effectiveness": hidden["effectiveness"],
            "opt_utility": reference["optimum"]["workers"] if reference else 1.0,
        }
    if environment == "scheduling":
        return common | {
            "final_prompt_type": "final_attempt_v1",
            "num_workers": instance.settings["size"],
            "num_blocking_pairs": parameters["feedback_pairs"],
            "score_gap_worker": 1.0,
            "score_gap_task": 1.0,
            "blocking_pair_selection_method": "random_cache",
            "worker_ids": parameters["workers"],
            "task_ids": parameters["tasks"],
            "worker_prefs": hidden["worker_preferences"],
            "task_prefs": hidden["task_preferences"],
            "status": "Exited normally",
        }
    if environment == "pricing":
        return common | {
            "noise_param": 0.0,
            "period_length": 10,
            "a0": 0.0,
            "a_tuple": tuple(hidden["qualities"]),
            "alpha_list": hidden["alphas"],
            "multiplier_list": [100.0] * periods,
            "costs": dict(zip(parameters["products"], parameters["costs"], strict=True)),
            "group_idxs": hidden["nests"],
            "mu": 1.0,
            "sigma": 0.5,
            "product_ids": parameters["products"],
            "env_type": "EnvType.LINEAR_SHIFTS",
            "difficulty": "Basic",
        }
    if environment == "efficiency_vs_equality":
        return {
            "model": model,
            "prompt_type": variant,
            "seed": seed,
            "num_periods": periods,
            "num_workers": 4,
            "worker_productivity_gap": 18,
            "max_worker_productivity_gap": 18,
            "worker_wage": 1,
            "worker_ids": parameters["workers"],
            "task_ids": parameters["tasks"],
            "task_id_to_task_size": hidden["task_sizes"],
            "worker_id_to_productivities": hidden["productivities"],
        }
    return {
        "seed": seed,
        "prompt_type": None,
        "a": (2, 2),
        "a0": 0,
        "c": (1, 1),
        "mu": 0.25,
        "multiplier": 100,
        "monopoly_price": reference["collusive_price"],
        "nash_price": reference["nash_price"],
        "alpha": hidden["alpha"],
        "sigma": 0,
        "group_idxs": (1, 1),
        "full_alpha": (hidden["alpha"],) * 2,
    }


def _entry(offer: dict[str, Any]) -> dict[str, Any]:
    price = offer["price_cents"] / 100
    if offer["kind"] == "simple":
        return {"type": "basic", "contents": offer["contents"], "cost": price}
    if offer["kind"] == "bulk_only":
        return {
            "type": "bulk_discount",
            "contents": offer["contents"],
            "cost": price,
            "min_quantity": offer["min_quantity"],
        }
    fixed = offer["upfront_cents"] / 100
    return {"type": "two_part_tariff", "contents": offer["contents"], "fixed_cost": fixed, "variable_cost": price}


CHOICE = "\nYou're making a choice for a user between {}. Your task is to choose one option for the user.\n"
NOW_FIRST = CHOICE.format("A: receiving $100 right now or B: receiving ${amount} {span} from today")
LATER_FIRST = CHOICE.format("A: receiving ${amount} {span} from today or B: receiving $100 right now")


def write_patience(root: Path, *, horizon: str = "one_month", trials: int = 2, claim: int = 0) -> Path:
    """One horizon of one model that takes the later amount where it is at least 3 % more; `claim` is added to the counts."""
    model = MODELS["anthropic"]
    folder = root / f"2025-03-01-10-00-00__{trials}trials__1.0_temperature__choice__{horizon}"
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
