"""k-means clusters of paragraphs, and the agent that is dominant in each (paper, section 4.3.1)."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from analysis.notes.text.paragraphs import Paragraph
from analysis.notes.text.vectors import SEED, Matrix, Weights

PER_AGENT = 10
"""Clusters for each agent (footnote 12 of the paper)."""
LEAST_PARAGRAPHS = 5
"""Paragraphs for each cluster, below which there are fewer clusters."""
NEAREST, LABEL_WORDS = 10, 4
STARTS = 3


@dataclass(frozen=True)
class Cluster:
    """Paragraphs that are close to each other. Paragraphs are given by their index.

    label: the words whose mean weight is most above that in all paragraphs
    counts: paragraphs by agent; shares: of each agent's own paragraphs
    dominant: the agent with the highest share; of several, the one with the lowest id
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
    """10 for each agent, but at most one for every 5 paragraphs."""
    return max(1, min(PER_AGENT * agents, paragraphs // LEAST_PARAGRAPHS))


def assigned(coordinates: Matrix, number: int) -> tuple[NDArray[np.int32], Matrix]:
    """The cluster of each row and the centres, by k-means with a fixed seed and the best of three starts."""
    from sklearn.cluster import KMeans

    distinct = len(np.unique(coordinates.round(4), axis=0))
    kmeans = KMeans(min(number, distinct), n_init=STARTS, random_state=SEED).fit(coordinates)
    return kmeans.labels_, kmeans.cluster_centers_


def dominance(counts: Mapping[int, int], totals: Mapping[int, int]) -> tuple[dict[int, float], int, float]:
    """Shares of the agents' own paragraphs that are in a cluster, the dominant agent, and its part of the sum of shares."""
    shares = {agent: counts.get(agent, 0) / total for agent, total in totals.items()}
    dominant = max(sorted(shares), key=shares.__getitem__)
    return shares, dominant, shares[dominant] / sum(shares.values())


def clusters(paragraphs: Sequence[Paragraph], coordinates: Matrix, weights: Weights, number: int) -> list[Cluster]:
    """The clusters, the most dominated first."""
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
