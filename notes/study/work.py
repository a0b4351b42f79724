"""A worker's part of an analysis. The only place that turns exceptions into states of an analysis."""

import logging
from collections.abc import Sequence
from functools import partial
from typing import Any

from django.db import InterfaceError, OperationalError

from agents.errors import ProviderFatal
from environments.registry import ENVIRONMENTS
from infrastructure.claims import Claim, ClaimLost
from infrastructure.connections import let_go_of_connection
from infrastructure.processes.stopping import stopping
from infrastructure.text.formats import counted
from infrastructure.transactions import write_transaction
from notes.models import NotesAnalysis, StudyState, VectorBatch, without_deleted
from notes.study.claims import claims
from notes.study.embedding import MOST_EMBEDDED, embedded
from notes.study.filters import StudyFilter
from notes.study.labels import labelled
from notes.study.selectors import read_paragraphs
from notes.text.clusters import clusters, number_of_clusters
from notes.text.paragraphs import Paragraph, Reservoir, balanced
from notes.text.report import Result, report
from notes.text.vectors import SEED, TooLittleText, principal_components, svd_vectors, tfidf_weights
from runs.engine import heartbeat
from runs.engine.exceptions import OverBudget
from runs.models import Agent, Run

logger = logging.getLogger(__name__)

MOST_TRIES = 3
"""Workers that may die over an analysis before it fails, so that it cannot kill all of them."""
MOST_PARAGRAPHS = 100_000
LEAST_PARAGRAPHS = 10
RELATED = ("organization", "endpoint__organization", "labels_by__endpoint__organization")
STEPS = 4
"""Steps after reading: words, vectors, clusters, result."""


class Stopping(Exception):
    """This process was asked to stop."""


def work(claim: Claim) -> None:
    """Compute the claimed analysis, then release the claim."""
    heartbeat.start()
    try:
        _work(claim)
    except ClaimLost:
        logger.info("Analysis %d is wanted no more, or is another worker's.", claim.row_id)
    except (OperationalError, InterfaceError):
        # The database is away or full. The claim expires, and the next worker starts again.
        logger.warning("Analysis %d waits for the database.", claim.row_id, exc_info=True)
    finally:
        claims.held.discard(claim)


def _work(claim: Claim) -> None:
    try:
        if claim.tries >= MOST_TRIES:
            raise TooLittleText(f"{MOST_TRIES} workers ended while they computed it. Choose fewer runs.")
        result = _computed(claim)
    except (ClaimLost, OperationalError, InterfaceError):
        raise
    except Stopping:
        claims.finish(claim, done=0, stage="")
    except TooLittleText as error:
        _finish(claim, state=StudyState.FAILED, problem=str(error))
    except (ProviderFatal, OverBudget) as error:
        _finish(claim, state=StudyState.FAILED, problem=error.reason)
    except MemoryError:
        _finish(claim, state=StudyState.FAILED, problem="The worker's memory is too small. Choose fewer runs.")
    except Exception as error:  # a bug must show as one and not be retried for ever
        logger.exception("Analysis %d failed.", claim.row_id)
        problem = f"A fault in EconEvals ended this analysis: {type(error).__name__}: {error}"[:1000]
        _finish(claim, state=StudyState.FAILED, problem=problem)
    else:
        _finish(claim, state=StudyState.DONE, result=result)


def _finish(claim: Claim, **values: Any) -> None:
    """Store the result and drop the vectors. A failed analysis keeps them, since it may be resumed."""
    with write_transaction():
        if "result" in values:
            # Runs may have been removed since they were read.
            analysis = NotesAnalysis.objects.get(pk=claim.row_id)
            left = Run.with_deleted.filter(organization=analysis.organization_id)
            values["result"] = without_deleted(values["result"], left)
        claims.finish(claim, stage="", **values)
        if values["state"] == StudyState.DONE:
            VectorBatch.objects.filter(analysis=claim.row_id).delete()


def tell(claim: Claim, stage: str, done: int, total: int) -> None:
    """Store the progress. Ends the analysis if the process stops or a person cancelled it."""
    if stopping.is_set():
        raise Stopping
    claims.tell(claim, done, total, stage=stage)
    let_go_of_connection()  # for the computation until the next step


def _computed(claim: Claim) -> Result:
    analysis = claims.mine(claim).select_related(*RELATED).first()
    if analysis is None:
        raise ClaimLost
    if analysis.model and analysis.endpoint is None:
        raise ProviderFatal("model", "The endpoint of this analysis was deleted. Start a new analysis.")
    chosen = StudyFilter.from_json(analysis.filter)
    most = MOST_PARAGRAPHS if analysis.endpoint is None else MOST_EMBEDDED
    paragraphs, seen = _read(claim, analysis, chosen, most)
    if chosen.balanced:
        paragraphs = balanced(paragraphs, SEED)
    if len(paragraphs) < LEAST_PARAGRAPHS:
        there = counted(len(paragraphs), "paragraph,paragraphs")
        raise TooLittleText(f"These notes have {there} to compare; an analysis needs {LEAST_PARAGRAPHS} or more.")
    texts = [paragraph.text for paragraph in paragraphs]
    tell(claim, "Weighing words", 0, STEPS)
    weights = tfidf_weights(texts)
    tell(claim, "Computing vectors", 1, STEPS)
    if analysis.endpoint is None:
        vectors = svd_vectors(weights)
    else:
        vectors = embedded(analysis, claim, texts, partial(tell, claim, "Asking the endpoint for vectors"))
    coordinates, variance = principal_components(vectors)
    tell(claim, "Finding clusters", 2, STEPS)
    agents = {paragraph.agent for paragraph in paragraphs}
    found = clusters(paragraphs, coordinates, weights, number_of_clusters(len(agents), len(paragraphs)))
    if analysis.labels_by is not None:
        found = labelled(analysis, claim, found, paragraphs, partial(tell, claim, "Naming clusters"))
    tell(claim, "Describing clusters", 3, STEPS)
    names = dict(Agent.objects.filter(pk__in=agents).values_list("pk", "name"))
    ranked = ENVIRONMENTS[chosen.environment].ranked_names if chosen.environment in ENVIRONMENTS else ""
    result = report(paragraphs, found, coordinates, names=names, ranked=ranked)
    result["sentences"] += _limits(len(paragraphs), seen, most, chosen)
    return result | {"found": seen, "variance": variance[:2]}


def _read(claim: Claim, analysis: NotesAnalysis, chosen: StudyFilter, most: int) -> tuple[Sequence[Paragraph], int]:
    """The paragraphs, or a sample of them, and how many there are."""
    kept = Reservoir(most, SEED)
    for done, total, some in read_paragraphs(organization=analysis.organization, chosen=chosen):
        for paragraph in some:
            kept.add(paragraph)
        tell(claim, "Reading notes", done, total)
    return kept.kept, kept.seen


def _limits(used: int, seen: int, most: int, chosen: StudyFilter) -> list[str]:
    told = []
    if seen > most:
        told.append(f"Of {seen:,} paragraphs, {most:,} were drawn at random.")
    if chosen.balanced:
        told.append(f"Balanced: {used:,} paragraphs, as many of each agent as the least verbose one wrote.")
    return told
