"""The texts of a run that are sent to a model: what its agents wrote, and the results that they read.

Nothing else of a run is sent: no hidden parameters, no optimum, no score.
"""

import json
from collections import defaultdict
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from django.db.models import Q

from environments.base import Environment, Outcome
from runs.models import Exchange, Note, Period, Run
from runs.models.records import ANSWERED
from runs.rebuilding import rebuild
from workspace.questions.models import Source

LONGEST = 10_000
"""Characters of one text that are sent."""
PART_CHARACTERS = 100_000
"""Characters of one query, about 25,000 tokens. Six whole texts, of two seats and three sources, always fit."""
FRAME = 80
"""Characters around a text in a query."""


@dataclass(frozen=True)
class Text:
    """A text of one period. agent: the name of who wrote or read it; is_cut: whether only its beginning is here"""

    run: int
    period: int
    agent: str
    source: str
    text: str
    is_cut: bool = False

    def as_row(self) -> dict[str, object]:
        return {name: getattr(self, name) for name in ("run", "period", "agent", "source", "text")}


@dataclass
class Stretch:
    """Consecutive periods of a run that fit into one query. cut: number of texts that are cut"""

    run: int
    first: int
    last: int
    characters: int = 0
    cut: int = 0


def texts_of(
    run: Run, sources: Collection[str], first: int = 0, last: int | None = None, longest: int = LONGEST
) -> Iterator[Text]:
    """Yield the texts of the whole periods from `first` to `last`, None for all, in order.

    Raises PermissionDenied if the instance of the run is sealed.
    """
    environment = rebuild(run, first)
    end = run.periods_played - 1 if last is None else last
    written = _written(run, sources, first, end)
    for period in Period.objects.filter(run=run, index__gte=first, index__lte=end):
        outcome = period.as_outcome()
        environment.take(outcome)
        for seat in environment.seats:
            for source in Source:
                text = "\n\n".join(written[period.index, seat, source])
                if source == Source.ACTIONS and source in sources:
                    text = _action_text(environment, outcome, seat)
                if text.strip():
                    agent, is_cut = run.agent_in(seat).name, len(text) > longest
                    yield Text(run.pk, period.index, agent, str(source), text[:longest], is_cut)


def _written(run: Run, sources: Collection[str], first: int, last: int) -> dict[tuple[int, str, str], list[str]]:
    """Notes, replies and reasoning, by period, seat and source."""
    texts: dict[tuple[int, str, str], list[str]] = defaultdict(list)
    within = Q(run=run, period_index__gte=first, period_index__lte=last)
    if Source.NOTES in sources:
        for note in Note.objects.filter(within):
            texts[note.period_index, note.seat, Source.NOTES].append(note.text)
    if Source.REASONING in sources:
        replies = Exchange.objects.filter(within, state__in=ANSWERED).only("period_index", "seat", "reply")
        for exchange in replies:
            reply = exchange.reply if isinstance(exchange.reply, dict) else {}
            parts = filter(None, (str(reply.get(name) or "") for name in ("thinking", "text")))
            texts[exchange.period_index, exchange.seat, Source.REASONING] += parts
    return texts


def _action_text(environment: Environment, outcome: Outcome, seat: str) -> str:
    """The action of a seat, and the text about its result that the agent could read from the next period on."""
    action = outcome.action[seat] if set(outcome.action) == set(environment.seats) else outcome.action
    return f"Action: {json.dumps(action, ensure_ascii=False)}\n{environment.feedback(outcome, seat)}"


def stretches_of(run: Run, sources: Collection[str], characters: int) -> list[Stretch]:
    """Split the periods of a run, so that the texts of each stretch have at most so many characters."""
    stretches: list[Stretch] = []
    period = Stretch(run.pk, 0, 0)
    for text in texts_of(run, sources, longest=longest_text(characters)):
        if text.period != period.first:
            _append(stretches, period, characters)
            period = Stretch(run.pk, text.period, text.period)
        period.characters += len(text.text) + FRAME
        period.cut += text.is_cut
    _append(stretches, period, characters)
    return stretches


def _append(stretches: list[Stretch], period: Stretch, characters: int) -> None:
    """Add a period to the last stretch, or begin a new one if it does not fit."""
    if not period.characters:
        return
    if stretches and stretches[-1].characters + period.characters <= characters:
        stretches[-1].last = period.last
        stretches[-1].characters += period.characters
        stretches[-1].cut += period.cut
    else:
        stretches.append(period)


def longest_text(characters: int) -> int:
    """The most characters of one text, so that the texts of one period fit into a query of so many characters."""
    return min(LONGEST, characters // 8)
