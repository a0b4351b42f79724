"""Measures the time of each step of an analysis of 20,000 paragraphs, without network requests.

    python -m benchmarks notes [--paragraphs 20000]

The paragraphs consist of words with Zipf frequencies, and there are 80 themes of 40 words each.
"""

import random
import resource
import time
from itertools import accumulate

from analysis.notes.text import clusters as clustering
from analysis.notes.text.report import report
from stats.texts import paragraphs_of, tfidf_weights

AGENTS, THEMES, WORDS, VOCABULARY = 8, 80, 60, 20_000


def notes_of_agents(number: int) -> list[tuple[int, int, str]]:
    """Return (agent, run, note) tuples with `number` paragraphs in total, four in each note."""
    rng = random.Random(0)
    vocabulary = [f"w{rng.randrange(10**9):x}" for _ in range(VOCABULARY)]
    weights = list(accumulate(1 / (rank + 10) for rank in range(VOCABULARY)))
    themes = [rng.sample(vocabulary, 40) for _ in range(THEMES)]

    def paragraph(agent: int) -> str:
        theme = themes[agent * 10 + rng.randrange(10)]
        tokens = rng.choices(theme, k=WORDS // 3) + rng.choices(vocabulary, cum_weights=weights, k=2 * WORDS // 3)
        return f"W{rng.randrange(50)} prefers T{rng.randrange(50)} > T{rng.randrange(50)}. {' '.join(tokens)}"

    return [(run % AGENTS, run, "\n\n".join(paragraph(run % AGENTS) for _ in range(4))) for run in range(number // 4)]


def main(*, paragraphs: int = 20_000) -> None:
    notes = notes_of_agents(paragraphs)
    begun = last = time.perf_counter()

    def step(name: str) -> None:
        nonlocal last
        now = time.perf_counter()
        print(f"{name:<24}{now - last:>7.1f} s")
        last = now

    parts = [clustering.Paragraph(agent, run, 0, text) for agent, run, note in notes for text in paragraphs_of(note)]
    clustering.balanced(parts, 0)
    step("paragraphs")
    weights_of_words = tfidf_weights([part.text for part in parts])
    step("words")
    vectors = clustering.svd_vectors(weights_of_words)
    step("vectors")
    coordinates, _ = clustering.principal_components(vectors)
    step("principal components")
    groups = clustering.clusters(
        parts, coordinates, weights_of_words, clustering.number_of_clusters(AGENTS, len(parts))
    )
    step("clusters")
    names = {agent: f"agent {agent}" for agent in range(AGENTS)}
    report(parts, groups, coordinates, names=names, ranked=r"[WT]\d{1,4}")
    step("report")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{len(parts):,} paragraphs in {time.perf_counter() - begun:.1f} s, at most {peak:.0f} MB")
