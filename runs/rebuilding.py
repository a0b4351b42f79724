"""Rebuild two things: a game in progress from its stored periods, and tool texts of which only a fingerprint is stored.

The text of the history tool is rebuilt from the run's earlier periods, and so are the notes that an outside agent read.
A rebuilt text is compared with the fingerprint that was stored with the exchange.
"""

import hashlib
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.db.models import Q

from agents.llm import ToolCall, ToolResult
from agents.tools import FROM_PERIOD, READ, notes_text, requested_period, whole_number
from environments.base import Environment, Instance, Outcome, ToolError
from environments.prompts.sets import prompts_of
from environments.registry import ATTEMPTS, ENVIRONMENTS, is_final
from runs.models import Note, Period, Run


def begun(run: Run, outcomes: Sequence[Outcome] = (), problem: Instance | None = None) -> Environment:
    """The environment of a run after these outcomes, with the prompts of the run.

    problem: the instance, by default that of the run's row. Its proof may be newer than the outcomes; if so, they are
        played again.
    """
    environment = ENVIRONMENTS[run.instance.environment]
    problem = problem or run.instance.as_problem()
    lacks_quality = problem.environment in ATTEMPTS and any(outcome.quality is None for outcome in outcomes)
    is_older = lacks_quality and is_final(problem.environment, problem.reference)
    game = environment(
        problem,
        () if is_older else outcomes,
        variant=run.variant,
        reasoning=run.reasoning,
        periods=run.periods,
        prompts=run.prompts.prompt_set
        if run.prompts
        else prompts_of(environment.prompt_set, run.variant, run.prompt_version),
    )
    for outcome in outcomes if is_older else ():
        game.step(outcome.action)
    return game


def rebuild(run: Run, periods: int | None = None) -> Environment:
    """The environment of a run after its stored periods, or only after the first `periods` of them."""
    rows = Period.objects.filter(Q() if periods is None else Q(index__lt=periods), run=run)
    return begun(run, [row.as_outcome() for row in rows])


def stored_results(
    results: Iterable[ToolResult], rebuilt: Collection[str], again: Collection[str] = ()
) -> list[dict[str, Any]]:
    """Results as JSON for storage. The texts of tools that can be rebuilt are replaced by their fingerprint and length.

    rebuilt: names of the tools whose texts can be rebuilt
    again: texts that tools return for a repeated call; these are always stored
    """
    rows = []
    for result in results:
        row = result.as_json()
        if result.name in rebuilt and not result.is_error and not result.ignored and result.text not in again:
            row |= {"text": None, "sha256": fingerprint(result.text), "characters": len(result.text)}
        rows.append(row)
    return rows


def fingerprint(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


@dataclass
class RebuiltTexts:
    """Rebuilds the texts that were not stored. The history at the start of the period is computed on first use."""

    run: Run
    environment: Environment
    seat: str

    @cached_property
    def history(self) -> str:
        try:
            return self.environment.call(self.environment.history_tool, self.seat)
        except ToolError as error:
            return str(error)

    def text(self, row: dict[str, Any], call: ToolCall) -> str:
        arguments = call.arguments or {}
        rebuilt = self._notes(arguments) if call.name == READ else self._histories(arguments)
        text = ""
        for text in rebuilt:
            if fingerprint(text) == row["sha256"]:
                return text
        return f"The {row['characters']:,} characters shown here differ from the ones stored.\n\n{text}"

    def _histories(self, arguments: dict[str, Any]) -> Iterator[str]:
        # Outside agents may ask for the history since a given period.
        since = whole_number(arguments.get(FROM_PERIOD))
        if since is not None and since >= 0:
            yield self.environment.call(self.environment.history_tool, self.seat, since)
        yield self.history

    def _notes(self, arguments: dict[str, Any]) -> Iterator[str]:
        """The texts that the tool may have returned: the notes of a period, or fewer if it was still the current period."""
        period = requested_period(self.environment, self.seat, arguments)
        rows = Note.objects.filter(run=self.run, seat=self.seat)
        written = [] if period is None else list(rows.filter(period_index=period).values_list("text", flat=True))
        yield from (notes_text(self.environment, written[:count]) for count in range(len(written) + 1))
