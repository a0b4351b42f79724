"""Vectors of paragraphs from an endpoint, in batches. An answered batch is stored and not requested again."""

import hashlib
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from accounts.addresses import address_policy
from accounts.models import Endpoint, Provider
from accounts.secrets import KeyUnreadable
from accounts.services.endpoints import endpoint_headers, endpoint_key
from agents.llm import ProviderFatal
from agents.options import LLMOptions
from agents.providers.embeddings import Embeddings, Vectors
from analysis.notes.models import NotesAnalysis, VectorBatch, claims
from analysis.notes.study.selectors import Scope
from analysis.notes.text.clusters import Matrix
from infrastructure.claims import Claim
from runs.models import JobCall
from runs.services.job_calls import job_call_settle
from runs.services.job_queries import call_until_answered, settle_and_store

MOST_EMBEDDED = 20_000
"""The most paragraphs of an analysis. Their vectors are in memory together."""
BATCH = 32
"""Texts of one request. Their vectors, written as decimal numbers, stay below the size limit of an answer."""
BATCH_CHARACTERS = 100_000
LONGEST = 8_000
"""Characters of a paragraph that are sent: models read at most about 8,000 tokens."""
SECONDS = 120.0
CHARACTERS_PER_TOKEN = 4
MARKS = 8
"""Tokens that a model may add to a text, to mark its beginning and end."""
DIGEST = 16

Tell = Callable[[int, int], None]


def tokens_estimated(scope: Scope) -> int:
    """An estimate of the tokens that an analysis sends: one for every four characters."""
    share = min(1.0, MOST_EMBEDDED / max(1, scope.paragraphs))
    return round(share * scope.characters) // CHARACTERS_PER_TOKEN


def embedded(analysis: NotesAnalysis, claim: Claim, texts: Sequence[str], tell: Tell) -> Matrix:
    """The vector of each text, with length 1. Equal texts are requested once. Raises ProviderFatal and ClaimLost."""
    assert analysis.endpoint is not None
    keys = [_digest(text) for text in texts]
    texts_by_key = dict(zip(keys, texts, strict=True))
    vectors_by_key = _stored(analysis)
    client = _client(analysis.endpoint, analysis.model)
    missing = [key for key in texts_by_key if key not in vectors_by_key]
    for batch in batches(missing, texts_by_key):
        done = len(texts_by_key.keys() & vectors_by_key.keys())
        sent = [texts_by_key[key][:LONGEST] for key in batch]
        call, (vectors, _) = _ask(analysis, client, sent, partial(tell, done, len(texts_by_key)))
        if vectors_by_key and len(next(iter(vectors_by_key.values()))) != vectors.shape[1]:
            job_call_settle(call=call)
            raise ProviderFatal("model", "The endpoint answered with vectors of different lengths.")
        content = np.ascontiguousarray(vectors, dtype="<f4").tobytes()
        batch_of = partial(VectorBatch.objects.create, analysis=analysis, digests=b"".join(batch), vectors=content)
        settle_and_store(call, claims, claim, batch_of)
        vectors_by_key |= zip(batch, vectors, strict=True)
    tell(len(texts_by_key), len(texts_by_key))
    matrix = np.stack([vectors_by_key[key] for key in keys])
    lengths = np.linalg.norm(matrix, axis=1, keepdims=True)
    return np.asarray(matrix / np.where(lengths > 0, lengths, 1), dtype=np.float32)


def batches(keys: Sequence[bytes], texts: dict[bytes, str]) -> list[list[bytes]]:
    """Split the keys into batches of at most BATCH texts and BATCH_CHARACTERS characters."""
    groups: list[list[bytes]] = []
    size = BATCH_CHARACTERS + 1
    for key in keys:
        length = min(len(texts[key]), LONGEST)
        if size + length > BATCH_CHARACTERS or len(groups[-1]) == BATCH:
            groups.append([])
            size = 0
        groups[-1].append(key)
        size += length
    return groups


def _client(endpoint: Endpoint, model: str) -> Embeddings:
    """The client of the endpoint.

    Keys are only sent to their own address. Raises ProviderFatal if there is no usable key.
    """
    if endpoint.provider == Provider.ANTHROPIC:
        raise ProviderFatal("model", "This provider has no embeddings.")
    try:
        key, headers = endpoint_key(endpoint), endpoint_headers(endpoint)
    except KeyUnreadable as error:
        raise ProviderFatal("key", f"{endpoint.name}: {error}") from None
    options = LLMOptions(provider=endpoint.provider, model=model, base_url=endpoint.base_url, timeout_seconds=SECONDS)
    return Embeddings(options, key, address_policy() if endpoint.base_url else None, headers=headers)


def cost_nano(tokens: int, price_nano: int | None) -> int:
    """The cost of tokens in billionths of a dollar, rounded up. price_nano: per million tokens, None if unknown"""
    return -(-tokens * (price_nano or 0) // 1_000_000)


def _ask(
    analysis: NotesAnalysis, client: Embeddings, texts: Sequence[str], still_wanted: Callable[[], None]
) -> tuple[JobCall, Vectors]:
    assert analysis.endpoint is not None
    # A token is at least one byte.
    most = sum(len(text.encode("utf-8", "replace")) + MARKS for text in texts)
    return call_until_answered(
        analysis.payer,
        still_wanted,
        endpoint=analysis.endpoint,
        model=analysis.model,
        most_nano=cost_nano(most, analysis.price_nano),
        tokens=sum(map(len, texts)) // CHARACTERS_PER_TOKEN,
        send=partial(client.embed, texts),
        cost_nano=lambda usage: cost_nano(usage.input_tokens, analysis.price_nano),
    )


def _stored(analysis: NotesAnalysis) -> dict[bytes, np.ndarray]:
    """Vectors that an earlier attempt at the analysis has stored, by the digest of their text."""
    vectors_by_digest: dict[bytes, np.ndarray] = {}
    for batch in VectorBatch.objects.filter(analysis=analysis).iterator():
        digests = bytes(batch.digests)
        keys = [digests[offset : offset + DIGEST] for offset in range(0, len(digests), DIGEST)]
        rows = np.frombuffer(bytes(batch.vectors), dtype="<f4").reshape(len(keys), -1)
        vectors_by_digest |= zip(keys, rows, strict=True)
    return vectors_by_digest


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[:DIGEST]
