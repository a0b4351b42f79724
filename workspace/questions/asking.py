"""What a model is asked, and what of its answer is kept: claims with quotes that are in the transcripts."""

import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, Field, ValidationError

from agents.data_texts import RULE, as_data
from agents.llm import Reply, Request
from environments.json_text import NotJSON, read_json
from infrastructure.schemas import Plain
from workspace.questions.models import Result
from workspace.questions.texts import Text

LONGEST_REPLY = 400_000
MOST_FINDINGS, MOST_QUOTES = 10, 5
"""What a model is asked for. A longer list is accepted up to five times the length."""

SYSTEM = (
    "You answer a researcher's question about transcripts of economic games that AI agents played. Each row of the data is a "
    "text of one period of one run: notes of the agent, its action with the result that it read, or its reasoning. "
    f"{RULE} "
)
FORM = (
    "Answer with one JSON object and nothing else:\n"
    '{"answer": "...", "findings": [{"claim": "...", "quotes": [%s]}]}\n'
    f"answer: at most three sentences. findings: at most {MOST_FINDINGS}, each with one claim in one sentence and 1 to "
    f"{MOST_QUOTES} quotes as evidence. %s If the data does not answer the question, say so in `answer` and give no findings."
)
OF_A_PART = SYSTEM + FORM % (
    '{"run": 12, "period": 3, "source": "notes", "text": "..."}',
    "Copy `run`, `period` and `source` from the row, and `text` from its text, character for character, at most 300 "
    "characters without omissions.",
)
OF_THE_WHOLE = SYSTEM + FORM % (
    "1, 4",
    "Here each row is a finding of a part of the transcripts with numbered quotes. Join findings that say the same, and "
    "give the numbers of their quotes.",
)


class UnusableAnswer(Exception):
    """The model's answer cannot be used. The message is one sentence."""


class QuoteIn(BaseModel):
    run: int
    period: int
    source: Annotated[Plain, Field(max_length=40)] = ""
    text: Annotated[Plain, Field(max_length=4_000)]


class FindingIn(BaseModel):
    claim: Annotated[Plain, Field(min_length=1, max_length=2_000)]
    quotes: Annotated[list[QuoteIn], Field(max_length=5 * MOST_QUOTES)]


class PartAnswerIn(BaseModel):
    """The answer to a query about a part."""

    answer: Annotated[Plain, Field(max_length=5_000)] = ""
    findings: Annotated[list[FindingIn], Field(max_length=5 * MOST_FINDINGS)]


class MergedFindingIn(BaseModel):
    claim: Annotated[Plain, Field(min_length=1, max_length=2_000)]
    quotes: Annotated[list[int], Field(max_length=20 * MOST_QUOTES)]


class MergedAnswerIn(BaseModel):
    """The answer to the last query. quotes: numbers of checked quotes"""

    answer: Annotated[Plain, Field(max_length=5_000)] = ""
    findings: Annotated[list[MergedFindingIn], Field(max_length=5 * MOST_FINDINGS)]


Answer = TypeVar("Answer", bound=BaseModel)


def part_request(question: str, texts: Iterable[Text]) -> Request:
    return Request(OF_A_PART, _prompt(question, (text.as_row() for text in texts)), ())


def merging_request(question: str, findings: Sequence[dict[str, Any]]) -> Request:
    """The query that joins the findings of parts. Its answer names quotes by their number, see `numbered_quotes`."""
    numbers = iter(range(1, 1 + sum(len(finding["quotes"]) for finding in findings)))
    rows = [
        {"claim": finding["claim"], "quotes": [{"number": next(numbers)} | quote for quote in finding["quotes"]]}
        for finding in findings
    ]
    return Request(OF_THE_WHOLE, _prompt(question, rows), ())


def _prompt(question: str, rows: Iterable[dict[str, Any]]) -> str:
    # The question stands after the data too, because models weigh the end of a long prompt most.
    asked_in_json = json.dumps(question, ensure_ascii=False)
    return f"Question: {asked_in_json}\n\n{as_data(rows)}\n\nAnswer this question in JSON: {asked_in_json}"


def read_answer(reply: Reply, form: type[Answer]) -> Answer:
    """Parse the JSON of a reply. Raises UnusableAnswer."""
    text = reply.text[:LONGEST_REPLY]
    start, end = text.find("{"), text.rfind("}")
    try:
        return form.model_validate(read_json(text[start : end + 1] if 0 <= start < end else text))
    except NotJSON as error:
        ended = " It was cut off at its limit." if reply.stop == "max_tokens" else ""
        raise UnusableAnswer(f"The model's answer {error}.{ended}") from None
    except ValidationError:
        raise UnusableAnswer("The model's answer does not have the fields that were asked for.") from None


def checked_part(answer: PartAnswerIn, texts: Iterable[Text]) -> Result:
    """The answer with the quotes that are in the texts of their period. Only white space may differ."""
    by_period: dict[tuple[int, int], list[tuple[str, str]]] = defaultdict(list)
    for text in texts:
        by_period[text.run, text.period].append((text.source, _plain(text.text)))
    findings, quotes = [], 0
    for finding in answer.findings:
        kept = []
        for quote in finding.quotes:
            sources = [source for source, text in by_period[quote.run, quote.period] if _is_in(quote.text, text)]
            if sources:
                source = quote.source if quote.source in sources else sources[0]
                kept.append(quote.model_dump() | {"source": source, "text": quote.text.strip()})
        quotes += len(finding.quotes)
        findings.append({"claim": finding.claim, "quotes": kept})
    return _result(answer.answer, findings, quotes)


def checked_whole(answer: MergedAnswerIn, findings: Sequence[dict[str, Any]]) -> Result:
    """The answer with checked quotes instead of their numbers. Numbers of no quote are dropped.

    findings: those of `merging_request`
    """
    quotes = [quote for finding in findings for quote in finding["quotes"]]
    merged = [
        {
            "claim": finding.claim,
            "quotes": [quotes[number - 1] for number in dict.fromkeys(finding.quotes) if 0 < number <= len(quotes)],
        }
        for finding in answer.findings
    ]
    return _result(answer.answer, merged, sum(len(set(finding.quotes)) for finding in answer.findings))


def _result(answer: str, findings: list[dict[str, Any]], quotes: int) -> Result:
    """A result. A finding without a checked quote is left out, since nothing supports it."""
    kept = sum(len(finding["quotes"]) for finding in findings)
    supported = [finding for finding in findings if finding["quotes"]]
    return {"answer": answer.strip(), "findings": supported, "quotes": quotes, "dropped": quotes - kept}


def _plain(text: str) -> str:
    return " ".join(text.split())


def _is_in(quote: str, text: str) -> bool:
    plain = _plain(quote)
    return any(map(str.isalnum, plain)) and plain in text
