"""Paragraphs of notes, their vectors and k-means clusters, and each cluster's dominant agent (paper, section 4.3.1)."""

import random
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from stats.texts import Weights

Matrix = NDArray[np.float32]

SVD_DIMENSIONS, PCA_DIMENSIONS = 100, 20
SEED = 0


def svd_vectors(weights: Weights) -> Matrix:
    """Vectors of length 1 with at most SVD_DIMENSIONS dimensions, by randomised truncated SVD with a fixed seed."""
    from sklearn.decomposition import TruncatedSVD
    from sklearn.preprocessing import normalize

    most = min(SVD_DIMENSIONS, min(weights.matrix.shape) - 1)
    if most < 1:
        return np.asarray(weights.matrix.todense(), dtype=np.float32)
    with np.errstate(invalid="ignore", divide="ignore"):  # shares of variance where all texts are equal
        vectors = TruncatedSVD(most, random_state=SEED).fit_transform(weights.matrix)
    return np.asarray(normalize(vectors), dtype=np.float32)


def principal_components(vectors: Matrix) -> tuple[Matrix, list[float]]:
    """Coordinates on at most PCA_DIMENSIONS principal components, and each component's share of variance.

    The seed is fixed.
    """
    from sklearn.decomposition import PCA

    solver = "covariance_eigh" if vectors.shape[1] <= SVD_DIMENSIONS else "randomized"
    pca = PCA(min(PCA_DIMENSIONS, *vectors.shape), svd_solver=solver, random_state=SEED)
    with np.errstate(invalid="ignore", divide="ignore"):
        coordinates = pca.fit_transform(vectors)
    return np.asarray(coordinates, dtype=np.float32), np.nan_to_num(pca.explained_variance_ratio_).tolist()


Row = TypeVar("Row")


@dataclass(frozen=True)
class Paragraph:
    """One paragraph of a note. agent: id of the author"""

    agent: int
    run: int
    period: int
    text: str


def sampled(rows: Sequence[Row], most: int, seed: int) -> list[Row]:
    """Draw at most `most` rows uniformly without replacement, and keep their order."""
    if len(rows) <= most:
        return list(rows)
    return [rows[i] for i in sorted(random.Random(seed).sample(range(len(rows)), most))]


def balanced(paragraphs: Iterable[Paragraph], seed: int) -> list[Paragraph]:
    """For each agent, as many paragraphs as the least verbose one wrote, drawn uniformly without replacement."""
    agent = attrgetter("agent")
    groups = [list(group) for _, group in groupby(sorted(paragraphs, key=agent), key=agent)]
    least = min(map(len, groups), default=0)
    return [paragraph for group in groups for paragraph in sampled(group, least, seed)]


class Reservoir:
    """A uniform sample without replacement of a stream, by Vitter's algorithm R with a fixed seed."""

    def __init__(self, most: int, seed: int):
        self.most, self.seen, self.kept = most, 0, list[Paragraph]()
        self._random = random.Random(seed)

    def add(self, paragraph: Paragraph) -> None:
        self.seen += 1
        if len(self.kept) < self.most:
            self.kept.append(paragraph)
        elif (index := self._random.randrange(self.seen)) < self.most:
            self.kept[index] = paragraph


PER_AGENT = 10
"""Clusters for each agent (footnote 12 of the paper)."""
LEAST_PARAGRAPHS = 5
"""Least mean number of paragraphs in a cluster. If there are few paragraphs, it limits the number of clusters."""
NEAREST, LABEL_WORDS = 10, 4
STARTS = 3


@dataclass(frozen=True)
class Cluster:
    """Paragraphs that are close to each other. Paragraphs are given by their index.

    label: the words whose mean weight in the cluster exceeds their mean weight in all paragraphs the most
    counts: paragraphs by agent; shares: share of each agent's own paragraphs
    dominant: the agent with the highest share; for ties, the one with the lowest id
    dominance: its share divided by the sum of all agents' shares
    nearest: the different paragraphs nearest to the centre, the nearest first
    """

    label: str
    counts: dict[int, int]
    shares: dict[int, float]
    dominant: int
    dominance: float
    nearest: list[int]

    @property
    def size(self) -> int:
        return sum(self.counts.values())


def number_of_clusters(agents: int, paragraphs: int) -> int:
    """PER_AGENT clusters for each agent, but at most one for every LEAST_PARAGRAPHS paragraphs."""
    return max(1, min(PER_AGENT * agents, paragraphs // LEAST_PARAGRAPHS))


def assigned(coordinates: Matrix, number: int) -> tuple[NDArray[np.int32], Matrix]:
    """The cluster of each row, and the centres, by k-means with a fixed seed. The best of three starts is used."""
    from sklearn.cluster import KMeans

    distinct = len(np.unique(coordinates.round(4), axis=0))
    kmeans = KMeans(min(number, distinct), n_init=STARTS, random_state=SEED).fit(coordinates)
    return kmeans.labels_, kmeans.cluster_centers_


def dominance(counts: Mapping[int, int], totals: Mapping[int, int]) -> tuple[dict[int, float], int, float]:
    """Return (shares, dominant agent, its share / sum of shares).

    shares: for each agent, the part of its paragraphs that is in the cluster
    """
    shares = {agent: counts.get(agent, 0) / total for agent, total in totals.items()}
    dominant = max(sorted(shares), key=shares.__getitem__)
    return shares, dominant, shares[dominant] / sum(shares.values())


def clusters(paragraphs: Sequence[Paragraph], coordinates: Matrix, weights: Weights, number: int) -> list[Cluster]:
    """The clusters, with the highest dominance first."""
    labels, centres = assigned(coordinates, number)
    totals = Counter(paragraph.agent for paragraph in paragraphs)
    overall = np.asarray(weights.matrix.mean(axis=0)).ravel()
    unsorted = []
    for cluster_index, centre in enumerate(centres):
        members = np.flatnonzero(labels == cluster_index)
        if not len(members):
            continue
        distances = ((coordinates[members] - centre) ** 2).sum(axis=1)
        nearest: dict[str, int] = {}
        for i in members[np.argsort(distances, kind="stable")]:
            nearest.setdefault(paragraphs[int(i)].text, int(i))
        above = np.asarray(weights.matrix[members].mean(axis=0)).ravel() - overall
        top = [weights.vocabulary[i] for i in np.argsort(-above, kind="stable")[:LABEL_WORDS] if above[i] > 0]
        counts = Counter(paragraphs[int(i)].agent for i in members)
        shares, dominant, percent = dominance(counts, totals)
        label = ", ".join(map(str, top)) or "no word of its own"
        unsorted.append(Cluster(label, dict(counts), shares, dominant, percent, list(nearest.values())[:NEAREST]))
    return sorted(unsorted, key=lambda cluster: (-cluster.dominance, -cluster.size))
