"""The part of an analysis that a worker computes."""

from collections.abc import Sequence
from functools import partial

from agents.llm import ProviderFatal
from analysis.notes.models import NotesAnalysis, VectorBatch, claims, without_deleted
from analysis.notes.study import embedding, labels
from analysis.notes.study.selectors import StudyFilter, read_paragraphs
from analysis.notes.text import clusters as clustering
from analysis.notes.text.report import Result, report
from environments.registry import ENVIRONMENTS
from infrastructure.claims import Claim, ClaimLost, JobState
from infrastructure.text.formats import counted
from infrastructure.transactions import write_transaction
from runs.engine.exceptions import OverBudget
from runs.engine.jobs import Job, JobFailed
from runs.models import Agent, Run
from stats.texts import TooLittleText, tfidf_weights

MOST_PARAGRAPHS = 100_000
LEAST_PARAGRAPHS = 10
RELATED = ("organization", "endpoint__organization", "labels_by__endpoint__organization")
STEPS = 4
"""Steps after reading: words, vectors, clusters, result."""


def _step(claim: Claim) -> None:
    try:
        result = _computed(claim)
    except TooLittleText as error:
        raise JobFailed(str(error)) from error
    except (ProviderFatal, OverBudget) as error:
        raise JobFailed(error.reason) from error
    with write_transaction():
        # Runs may have been removed since they were read.
        analysis = NotesAnalysis.objects.get(pk=claim.row_id)
        left = Run.with_deleted.filter(organization=analysis.organization_id)
        claims.finish(claim, state=JobState.DONE, result=without_deleted(result, left))
        VectorBatch.objects.filter(analysis=claim.row_id).delete()


def _fail(claim: Claim, problem: str) -> None:
    """Store the problem. Vectors are kept, since a failed analysis may be resumed."""
    claims.finish(claim, state=JobState.FAILED, problem=problem)


ANALYSES = Job("analysis", claims, _step, _fail, advice="Choose fewer runs.")


def _computed(claim: Claim) -> Result:
    analysis = claims.mine(claim).select_related(*RELATED).first()
    if analysis is None:
        raise ClaimLost
    if analysis.model and analysis.endpoint is None:
        raise ProviderFatal("model", "The endpoint of this analysis was deleted. Start a new analysis.")
    study_filter = StudyFilter.model_validate(analysis.filter)
    most = MOST_PARAGRAPHS if analysis.endpoint is None else embedding.MOST_EMBEDDED
    paragraphs, seen = _read(claim, analysis, study_filter, most)
    if study_filter.balanced:
        paragraphs = clustering.balanced(paragraphs, clustering.SEED)
    if len(paragraphs) < LEAST_PARAGRAPHS:
        there = counted(len(paragraphs), "paragraph,paragraphs")
        raise TooLittleText(f"These notes have {there} to compare; an analysis needs {LEAST_PARAGRAPHS} or more.")
    texts = [paragraph.text for paragraph in paragraphs]
    _report(claim, "Weighing words", 0, STEPS)
    weights = tfidf_weights(texts)
    _report(claim, "Computing vectors", 1, STEPS)
    if analysis.endpoint is None:
        vectors = clustering.svd_vectors(weights)
    else:
        vectors = embedding.embedded(analysis, claim, texts, partial(_report, claim, "Asking the endpoint for vectors"))
    coordinates, variance = clustering.principal_components(vectors)
    _report(claim, "Finding clusters", 2, STEPS)
    agents = {paragraph.agent for paragraph in paragraphs}
    study_clusters = clustering.clusters(
        paragraphs, coordinates, weights, clustering.number_of_clusters(len(agents), len(paragraphs))
    )
    if analysis.labels_by is not None:
        study_clusters = labels.labelled(
            analysis, claim, study_clusters, paragraphs, partial(_report, claim, "Naming clusters")
        )
    _report(claim, "Describing clusters", 3, STEPS)
    names = dict(Agent.objects.filter(pk__in=agents).values_list("pk", "name"))
    ranked = ENVIRONMENTS[study_filter.environment].ranked_names if study_filter.environment in ENVIRONMENTS else ""
    result = report(paragraphs, study_clusters, coordinates, names=names, ranked=ranked)
    result["sentences"] += _limits(len(paragraphs), seen, most, study_filter)
    return result | {"found": seen, "variance": variance[:2]}


def _report(claim: Claim, stage: str, done: int, total: int) -> None:
    claims.store_progress(claim, done, total, stage=stage)


def _read(
    claim: Claim, analysis: NotesAnalysis, study_filter: StudyFilter, most: int
) -> tuple[Sequence[clustering.Paragraph], int]:
    """The paragraphs, or a sample of at most `most`, and the number of all paragraphs."""
    kept = clustering.Reservoir(most, clustering.SEED)
    for done, total, some in read_paragraphs(organization=analysis.organization, study_filter=study_filter):
        for paragraph in some:
            kept.add(paragraph)
        _report(claim, "Reading notes", done, total)
    return kept.kept, kept.seen


def _limits(used: int, seen: int, most: int, study_filter: StudyFilter) -> list[str]:
    drawn = f"Of {seen:,} paragraphs, {most:,} were drawn at random."
    balance = f"Balanced: {used:,} paragraphs, as many of each agent as the least verbose one wrote."
    return [*([drawn] if seen > most else []), *([balance] if study_filter.balanced else [])]
