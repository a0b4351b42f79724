"""One period of a run: what happened, the notes with what is new in them, the calls as one line each."""

from __future__ import annotations

import json
from collections import defaultdict
from dataclasses import dataclass
from typing import Any

from django.utils.safestring import SafeString

from runs.models import Exchange, ExchangeState, Note, Period, Run
from runs.rendering import render_note
from runs.selectors.showing import showing_of
from runs.selectors.showing.base import Section

NOTES_A_PAGE = 20
LINE = 110
RESULT_SHOWN = 2_000


@dataclass(frozen=True)
class NoteView:
    """A period's notes of one seat as HTML, new words tinted against `compared_with`."""

    period: int
    seat: str
    html: SafeString
    words: int
    compared_with: int | None


@dataclass(frozen=True)
class CallLine:
    """A tool call in one line, and what opens under it."""

    line: str
    arguments: str
    result: str
    result_note: str
    seconds: float | None
    is_error: bool
    ignored: bool
    text: str


@dataclass(frozen=True)
class PeriodView:
    index: int
    period: Period | None
    happened: list[Section]
    notes: list[NoteView]
    calls: list[CallLine]

    @property
    def is_played(self) -> bool:
        return self.period is not None

    @property
    def tokens(self) -> int:
        return 0 if self.period is None else self.period.input_tokens + self.period.output_tokens

    @property
    def seats(self) -> int:
        return len({note.seat for note in self.notes})


def period_view(run: Run, index: int) -> PeriodView:
    """Four queries whatever the length of the run."""
    rows = {row.index: row for row in Period.objects.filter(run=run, index__in=(index - 1, index))}
    period = rows.get(index)
    happened = []
    if period is not None and run.instance.reference is not None:
        happened = showing_of(run.instance.environment).happened(run.instance, period, rows.get(index - 1))
    return PeriodView(index, period, happened, _notes_of(run, index), call_lines(run, index))


def _notes_of(run: Run, index: int) -> list[NoteView]:
    """This period's notes against the last ones written before it, seat by seat."""
    texts: dict[str, dict[int, list[str]]] = defaultdict(lambda: defaultdict(list))
    earlier = Note.objects.filter(run=run, period_index__lt=index).order_by("-period_index").values("period_index")[:1]
    wanted = Note.objects.filter(run=run, period_index=index) | Note.objects.filter(run=run, period_index__in=earlier)
    for note in wanted.order_by("period_index", "seat", "order"):
        texts[note.seat][note.period_index].append(note.text)
    views = []
    for seat, by_period in texts.items():
        if index in by_period:
            before = max((period for period in by_period if period < index), default=None)
            views.append(
                _note_view(
                    seat, index, by_period[index], before, by_period.get(before, []) if before is not None else None
                )
            )
    return views


def _note_view(seat: str, index: int, texts: list[str], before: int | None, earlier: list[str] | None) -> NoteView:
    text = "\n\n".join(texts)
    html = render_note(text, None if earlier is None else "\n\n".join(earlier))
    return NoteView(index, seat, html, len(text.split()), before)


def notes_page(run: Run, first: int) -> list[NoteView]:
    """The notes of NOTES_A_PAGE periods from `first` on, each against the one before."""
    by_place: dict[tuple[str, int], list[str]] = defaultdict(list)
    rows = Note.objects.filter(run=run, period_index__gte=first - 1, period_index__lt=first + NOTES_A_PAGE)
    for note in rows:
        by_place[note.seat, note.period_index].append(note.text)
    views = []
    for (seat, index), texts in sorted(by_place.items(), key=lambda item: (item[0][1], item[0][0])):
        if index >= first:
            earlier = by_place.get((seat, index - 1))
            views.append(_note_view(seat, index, texts, index - 1 if earlier else None, earlier))
    return views


def call_lines(run: Run, index: int) -> list[CallLine]:
    """The calls of a period as they were journaled; the long history is named by its length, not shown."""
    lines = []
    for exchange in Exchange.objects.filter(run=run, period_index=index).exclude(state=ExchangeState.LOST):
        if exchange.reply is None:
            text = exchange.error or "Waiting for the model's reply."
            lines.append(
                CallLine("no reply", "", text, "", exchange.seconds, exchange.state == ExchangeState.FAILED, False, "")
            )
            continue
        calls = exchange.reply["calls"]
        results = exchange.results or [None] * len(calls)
        said = exchange.reply["text"]
        if not calls:
            lines.append(CallLine("text without a call", "", said, "", exchange.seconds, True, False, ""))
        for place, (call, result) in enumerate(zip(calls, results, strict=True)):
            lines.append(_line(call, result, exchange.seconds if place == 0 else None, said if place == 0 else ""))
    return lines


def _line(call: dict[str, Any], result: dict[str, Any] | None, seconds: float | None, said: str) -> CallLine:
    arguments = call["arguments"]
    written = (
        call["raw"] if arguments is None else json.dumps(arguments, ensure_ascii=False, indent=2) if arguments else ""
    )
    shown, note = _result(result)
    return CallLine(
        line=_one_line(call["name"], arguments),
        arguments=written,
        result=shown,
        result_note=note,
        seconds=seconds,
        is_error=bool(result and result["is_error"]),
        ignored=bool(result and result["ignored"]),
        text=said,
    )


def _result(result: dict[str, Any] | None) -> tuple[str, str]:
    if result is None:
        return "", "No result yet."
    if result["text"] is None:
        return "", f"All earlier attempts, {result['characters']:,} characters; the transcript shows them."
    text = str(result["text"])
    if len(text) > RESULT_SHOWN:
        return text[
            :RESULT_SHOWN
        ] + " …", f"The first {RESULT_SHOWN:,} of {len(text):,} characters; the transcript shows all."
    return text, ""


def _one_line(name: str, arguments: dict[str, Any] | None) -> str:
    """get_budget(), read_notes(62), write_notes(…)"""
    if arguments is None:
        return f"{name}(not a JSON object)"
    said = ", ".join(str(value) for value in arguments.values())
    room = LINE - len(name)
    return f"{name}({said if len(said) <= room and name != 'write_notes' else '…' if name == 'write_notes' else said[:room] + '…'})"


def period_json(run: Run, index: int) -> dict[str, Any] | None:
    """A played period with notes and what it took, for download; None where it was not played."""
    period = Period.objects.filter(run=run, index=index).first()
    if period is None:
        return None
    notes = Note.objects.filter(run=run, period_index=index)
    return {
        "run": run.pk,
        "agent": run.agent.slug,
        "environment": run.instance.environment,
        "difficulty": run.instance.difficulty,
        "seed": run.instance.seed,
        "period": period.index,
        "action": period.action,
        "result": period.result,
        "quality": period.quality,
        "notes": [{"seat": note.seat, "text": note.text} for note in notes],
        "queries": period.queries,
        "input_tokens": period.input_tokens,
        "cached_tokens": period.cached_tokens,
        "output_tokens": period.output_tokens,
        "cost_nano": period.cost_nano,
        "seconds": period.seconds,
        "played_at": period.created_at.isoformat(),
    }
