from decimal import Decimal
from typing import Annotated, Any

from pydantic import Field

from analysis.notes.models import EntryKind, NotesAnalysis
from analysis.notes.search.selectors import Hit
from analysis.notes.study.embedding import cost_nano, tokens_estimated
from analysis.notes.study.selectors import Scope, StudyFilter, billed
from api.schemas.base import USD, Out
from environments.registry import EXAMPLE
from infrastructure.money import nano, usd, usd_or_none
from infrastructure.schemas import In, Plain
from runs.launching.request import Environment


class HitOut(
    Out,
    rows=(Hit,),
    fields="run period kind agent title snippet url",
    sources={"snippet": "text"},
    details={
        "kind": Field(json_schema_extra={"enum": EntryKind.values}),
        "agent": "Name of the agent that wrote the text.",
        "url": "Path of the period's page, without the site's address.",
    },
):
    """A note, a model's reply or its thinking that contains every searched word."""

    run: int

    @staticmethod
    def values(hit: Hit) -> dict[str, Any]:
        return HitOut.from_row(hit, run=hit.run.pk)


class AnalysisIn(In, StudyFilter):
    """The texts that an analysis reads. A field that is left out does not filter."""

    environment: Annotated[Environment, Field(examples=[EXAMPLE])]
    name: Annotated[Plain, Field(max_length=200)] = ""
    endpoint: Annotated[int | None, Field(ge=1, le=2**62)] = None
    """Number of the endpoint whose model computes the vectors, as in `GET /endpoints`; null: the site computes them."""
    model: Annotated[Plain, Field(max_length=200)] = ""
    """Id of the embedding model at the endpoint."""
    price_per_million_usd: Annotated[float | None, Field(ge=0, le=10_000)] = None
    """Price of a million of the embedding model's tokens in US dollars; null if it is not known."""
    labels_by: Annotated[Plain | None, Field(max_length=200)] = None
    """Slug of the agent whose model names the clusters; null: their names are their most distinctive words."""

    @property
    def price(self) -> Decimal | None:
        return None if self.price_per_million_usd is None else Decimal(str(self.price_per_million_usd))


class ScopeOut(
    Out,
    rows=(Scope,),
    fields="runs notes paragraphs tokens cost_usd labels_cost_usd sentence",
    details={"paragraphs": "Number of paragraphs; estimated from a sample if there are many notes."},
):
    tokens: int | None
    """Estimated number of tokens that are sent to the endpoint; null without an endpoint."""
    cost_usd: USD | None
    """Cost of the vectors; null without a price."""
    labels_cost_usd: USD | None
    """Estimated cost of naming the clusters; null if no agent with a known price names them."""

    @staticmethod
    def values(scope: Scope, body: AnalysisIn, labels_nano: int | None) -> dict[str, Any]:
        tokens = None if body.endpoint is None else tokens_estimated(scope)
        is_known = tokens is not None and body.price is not None
        cost = usd(cost_nano(tokens or 0, nano(body.price))) if is_known else None
        return ScopeOut.from_row(scope, tokens=tokens, cost_usd=cost, labels_cost_usd=usd_or_none(labels_nano))


class AnalysisOut(
    Out,
    rows=(NotesAnalysis,),
    fields="id name filter state is_done stage done total problem model created_at",
    details={
        "stage": "The current step of the worker; empty if no worker computes the analysis.",
        "total": "Progress within the stage.",
        "problem": "Why the analysis failed; empty if it did not fail.",
        "model": "The embedding model; empty if the site computes the vectors.",
    },
):
    is_done: bool
    """Whether the analysis has ended and will not change."""

    @staticmethod
    def values(analysis: NotesAnalysis) -> dict[str, Any]:
        return AnalysisOut.from_row(analysis, is_done=not analysis.is_working)


class AnalysisWithResult(AnalysisOut):
    tokens: int
    """Tokens that the endpoint billed."""
    cost_usd: USD
    """Cost, counted in the monthly spend of the person who started it and of the organization."""
    result: dict[str, Any] | None
    """Sentences, agents, clusters, points and metrics of preferences; null until it is done."""

    @staticmethod
    def values(analysis: NotesAnalysis) -> dict[str, Any]:
        bill = billed(analysis)
        paid = {"tokens": bill["tokens"], "cost_usd": usd(bill["cost"])}
        return AnalysisOut.values(analysis) | paid | {"result": analysis.result_left}
