"""Keeps apart runs of one agent whose models were asked otherwise, or in which another model answered."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

from django.db.models import Case, CharField, Count, F, Max, Q, QuerySet, Value, When
from django.db.models.functions import NullIf

from runs.conditions import difference
from runs.models import Run, RunState

Player = tuple[int, int | None]
"""An agent, and the other agent of its market if there is one. The key of a market depends on both."""

RIVAL = NullIf("rival_id", F("agent_id"))


def usual_keys(runs: QuerySet[Run]) -> dict[Player, str]:
    """`Run.conditions_key` of most finished runs of each player whose runs have several; of the newest among equals.

    Runs of which nothing is recorded have an empty key, which is a key like the others. One query.
    """
    rows: Iterable[Any] = (
        runs.filter(state=RunState.FINISHED)
        .order_by()
        .values_list("agent_id", RIVAL, "conditions_key")
        .annotate(Count("id"), Max("id"))
    )
    keys: dict[Player, list[tuple[int, int, str]]] = defaultdict(list)
    for agent, rival, key, count, newest in rows:
        keys[agent, rival].append((count, newest, key))
    return {player: max(several)[-1] for player, several in keys.items() if len(several) > 1}


def played_otherwise(usual: Mapping[Player, str]) -> Q:
    """Finished runs of these players that have another key; empty if there is no such player."""
    by_key: dict[tuple[str, int | None], list[int]] = defaultdict(list)
    for (agent, rival), key in usual.items():
        by_key[key, rival].append(agent)
    others = Q()
    for (key, rival), agents in by_key.items():
        alone = Q(rival=None) | Q(rival=F("agent"))
        others |= Q(agent__in=agents) & (alone if rival is None else Q(rival=rival)) & ~Q(conditions_key=key)
    return Q(state=RunState.FINISHED) & others if others else others


def columns_of_others(usual: Mapping[Player, str]) -> dict[str, Any]:
    """What `how_it_differs` reads of runs that were played otherwise; None for other runs."""
    others = played_otherwise(usual)
    if not others:
        return {"key": Value(None, output_field=CharField())}
    columns = {"key": F("conditions_key"), "agent_name": F("agent__name"), "player": F("agent_id"), "against": RIVAL}
    return {name: Case(When(others, then=column), default=None) for name, column in columns.items()}


def how_it_differs(row: Mapping[str, Any], usual: Mapping[Player, str]) -> str:
    """'of GPT-6 played otherwise (tools not forced)'; empty for runs that were played as usual."""
    if row["key"] is None:
        return ""
    usual_key = usual[row["player"], row["against"]]
    how = "played otherwise" if row["key"] and usual_key else "perhaps played otherwise"
    return f"of {row['agent_name']} {how} ({difference(row['key'], usual_key)})"
