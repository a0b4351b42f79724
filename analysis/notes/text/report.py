"""The result of an analysis as JSON, and the sentences that describe it."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np

from analysis.notes.text.clusters import PER_AGENT, SEED, Cluster, Matrix, Paragraph, number_of_clusters, sampled
from analysis.notes.text.preferences import longest_list

LONGEST_EXAMPLE = 600
"""Characters of a paragraph that are stored with the result."""
MOST_POINTS = 3000

Result = dict[str, Any]


def report(
    paragraphs: Sequence[Paragraph],
    clusters: Sequence[Cluster],
    coordinates: Matrix,
    *,
    names: Mapping[int, str],
    ranked: str,
) -> Result:
    """The result of an analysis. ranked: pattern of the names that agents rank, empty if they rank nothing"""
    totals = Counter(paragraph.agent for paragraph in paragraphs)
    agents = [
        {"id": agent, "name": names[agent], "paragraphs": totals[agent],
         "dominates": sum(cluster.dominant == agent for cluster in clusters)}
        for agent in sorted(totals, key=lambda agent: (-totals[agent], names[agent]))
    ]  # fmt: skip
    runs = {paragraph.run for paragraph in paragraphs}
    longest = [
        max((longest_list(paragraphs[index].text, ranked) for index in cluster.nearest), default=0) if ranked else 0
        for cluster in clusters
    ]
    return {
        "paragraphs": len(paragraphs),
        "runs": len(runs),
        "run_ids": sorted(runs),
        "agents": agents,
        "clusters": [
            _cluster_json(cluster, paragraphs, length) for cluster, length in zip(clusters, longest, strict=True)
        ],
        "points": _points(paragraphs, coordinates),
        "preferences": _preferences(paragraphs, clusters, longest, ranked) if ranked else [],
        "sentences": _sentences(paragraphs, clusters, agents),
    }


def _example_json(paragraph: Paragraph) -> dict[str, Any]:
    text = paragraph.text
    excerpt = text if len(text) <= LONGEST_EXAMPLE else text[: LONGEST_EXAMPLE - 1] + "…"
    return {"agent": paragraph.agent, "run": paragraph.run, "period": paragraph.period, "text": excerpt}


def _cluster_json(cluster: Cluster, paragraphs: Sequence[Paragraph], length: int) -> dict[str, Any]:
    return {
        "label": cluster.label,
        "size": cluster.size,
        "dominant": cluster.dominant,
        "dominance": cluster.dominance,
        "agents": [
            {"agent": agent, "paragraphs": cluster.counts.get(agent, 0), "share": share}
            for agent, share in sorted(cluster.shares.items(), key=lambda item: (-item[1], item[0]))
        ],
        "nearest": [_example_json(paragraphs[index]) for index in cluster.nearest],
        "longest_list": length,
    }


def _points(paragraphs: Sequence[Paragraph], coordinates: Matrix) -> list[list[float]]:
    """[first component, second component, agent, run, period] of at most MOST_POINTS paragraphs."""
    flat = coordinates if coordinates.shape[1] > 1 else np.hstack([coordinates, np.zeros_like(coordinates)])
    return [
        [
            *(round(float(value), 4) for value in flat[i][:2]),
            paragraphs[i].agent,
            paragraphs[i].run,
            paragraphs[i].period,
        ]
        for i in sampled(range(len(paragraphs)), MOST_POINTS, SEED)
    ]


def _preferences(
    paragraphs: Sequence[Paragraph], clusters: Sequence[Cluster], longest: Sequence[int], ranked: str
) -> list[dict[str, Any]]:
    """The two metrics of table 2 for each agent, and similar metrics computed from all paragraphs instead of clusters.

    share: share of the agent's paragraphs that state a preference
    mean, longest: mean and maximum, over these paragraphs, of the length of the longest list in each
    cluster_share: metric (i) of the paper, the agent's share of paragraphs in clusters that reason about preferences
    cluster_mean: metric (ii), the mean of the longest list near these clusters' centres, weighted by the agent's share
        in each
    """
    by_agent: dict[int, list[tuple[int, Paragraph]]] = defaultdict(list)
    for paragraph in paragraphs:
        by_agent[paragraph.agent].append((longest_list(paragraph.text, ranked), paragraph))
    rows = []
    for agent, lists in by_agent.items():
        stated = [(length, paragraph) for length, paragraph in lists if length]
        top = max(stated, key=lambda pair: pair[0], default=None)
        weights = [(cluster.shares[agent], length) for cluster, length in zip(clusters, longest, strict=True) if length]
        weight = math.fsum(share for share, _ in weights)
        rows.append(
            {
                "agent": agent,
                "paragraphs": len(lists),
                "share": len(stated) / len(lists),
                "mean": sum(length for length, _ in stated) / len(stated) if stated else None,
                "longest": top[0] if top else 0,
                "example": _example_json(top[1]) if top else None,
                "cluster_share": weight,
                "cluster_mean": math.fsum(share * length for share, length in weights) / weight if weight else None,
            }
        )
    return sorted(rows, key=lambda row: (-(row["cluster_mean"] or 0), -row["share"], row["agent"]))


def main_sentence(agents: Sequence[Mapping[str, Any]], dominant: int, dominance: float, cluster: str) -> str:
    """The main result, about the first cluster. Only this sentence names a cluster, by the words `cluster`."""
    if len(agents) == 1:
        return f"Only {agents[0]['name']} wrote these notes, so its clusters show its topics, and none dominates."
    names = {agent["id"]: agent["name"] for agent in agents}
    return (
        f"{names[dominant]} stands out most in {cluster}: {100 * dominance:.0f} % of this cluster would be its own if "
        "every agent had written equally many paragraphs."
    )


def unnamed(result: Result) -> Result:
    """A result with numbers instead of cluster names. Names are words of the notes, or a model's words about them."""
    clusters = [cluster | {"label": f"Cluster {number}"} for number, cluster in enumerate(result["clusters"], 1)]
    sentences = list(result["sentences"])
    if sentences:
        top = clusters[0]
        sentences[0] = main_sentence(result["agents"], top["dominant"], top["dominance"], "cluster 1")
    return result | {"clusters": clusters, "sentences": sentences, "unnamed": True}


def runs_of(result: Result) -> set[int]:
    """Ids of the runs that a result covers; for a result of an earlier version, without `run_ids`, those it quotes."""
    quoted_runs = {run for *_, run, _ in result["points"]} | {
        example["run"] for cluster in result["clusters"] for example in cluster["nearest"]
    }
    return quoted_runs | set(result.get("run_ids", ()))


def without_runs(result: Result, gone: Collection[int]) -> Result:
    """A result without quotes of the runs `gone`; its counts stay."""
    if not gone:
        return result
    result = unnamed(result)
    return result | {
        "clusters": [
            cluster | {"nearest": [example for example in cluster["nearest"] if example["run"] not in gone]}
            for cluster in result["clusters"]
        ],
        "preferences": [
            row | {"example": None} if row["example"] and row["example"]["run"] in gone else row
            for row in result["preferences"]
        ],
        "points": [point for point in result["points"] if point[3] not in gone],
        "run_ids": sorted(runs_of(result) - set(gone)),
        "sentences": [sentence for sentence in result["sentences"] if sentence != DELETED] + [DELETED],
    }


DELETED = (
    "Runs that it read were deleted since. Their passages are gone, and clusters have numbers, since their names may be "
    "words of these runs. A new analysis names them again."
)


def _sentences(
    paragraphs: Sequence[Paragraph], clusters: Sequence[Cluster], agents: Sequence[Mapping[str, Any]]
) -> list[str]:
    """The main result, then its limitations."""
    top = clusters[0]
    sentences = [main_sentence(agents, top.dominant, top.dominance, f"the cluster “{top.label}”")]
    if len(agents) > 1:
        ranked = sorted(agents, key=lambda agent: -agent["dominates"])
        parts = [f"{agent['name']} dominates {agent['dominates']}" for agent in ranked]
        sentences.append(
            f"Of {len(clusters)} clusters, {', '.join(parts[:8])}{' and so on' if len(parts) > 8 else ''}."
        )
    usual_number = PER_AGENT * len(agents)
    instead = f"There are {len(clusters)} clusters instead of {usual_number}, since"
    if number_of_clusters(len(agents), len(paragraphs)) < usual_number:
        sentences.append(f"{instead} {len(paragraphs):,} paragraphs are few: a cluster should have 5 or more.")
    elif len(clusters) < usual_number:
        sentences.append(f"{instead} many paragraphs are alike.")
    return sentences
