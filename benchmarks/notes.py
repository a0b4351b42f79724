"""Time of an analysis of 20,000 paragraphs without a network, step by step.

    python benchmarks/notes.py [PARAGRAPHS]

The paragraphs are made of words of Zipf's frequencies, with 80 themes of 40 words each.
"""

import random
import resource
import sys
import time
from itertools import accumulate
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from analysis.notes.text.clusters import (  # noqa: E402  # noqa: E402
    Paragraph,
    balanced,
    clusters,
    number_of_clusters,
    paragraphs_of,
    principal_components,
    svd_vectors,
    tfidf_weights,
)
from analysis.notes.text.report import report  # noqa: E402

AGENTS, THEMES, WORDS, VOCABULARY = 8, 80, 60, 20_000


def main() -> None:
    number = int(sys.argv[1]) if len(sys.argv) > 1 else 20_000
    rng = random.Random(0)
    vocabulary = [f"w{rng.randrange(10**9):x}" for _ in range(VOCABULARY)]
    weights = list(accumulate(1 / (rank + 10) for rank in range(VOCABULARY)))
    themes = [rng.sample(vocabulary, 40) for _ in range(THEMES)]
    notes = []
    for run in range(number // 4):
        agent = run % AGENTS
        parts = []
        for _ in range(4):
            theme = themes[agent * 10 + rng.randrange(10)]
            tokens = rng.choices(theme, k=WORDS // 3) + rng.choices(vocabulary, cum_weights=weights, k=2 * WORDS // 3)
            parts.append(
                f"W{rng.randrange(50)} prefers T{rng.randrange(50)} > T{rng.randrange(50)}. {' '.join(tokens)}"
            )
        notes.append((agent, run, "\n\n".join(parts)))
    begun = last = time.perf_counter()

    def step(name: str) -> None:
        nonlocal last
        now = time.perf_counter()
        print(f"{name:<24}{now - last:>7.1f} s")
        last = now

    paragraphs = [Paragraph(agent, run, 0, text) for agent, run, note in notes for text in paragraphs_of(note)]
    balanced(paragraphs, 0)
    step("paragraphs")
    weights_of_words = tfidf_weights([paragraph.text for paragraph in paragraphs])
    step("words")
    vectors = svd_vectors(weights_of_words)
    step("vectors")
    coordinates, _ = principal_components(vectors)
    step("principal components")
    groups = clusters(paragraphs, coordinates, weights_of_words, number_of_clusters(AGENTS, len(paragraphs)))
    step("clusters")
    names = {agent: f"agent {agent}" for agent in range(AGENTS)}
    report(paragraphs, groups, coordinates, names=names, ranked=r"[WT]\d{1,4}")
    step("report")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{len(paragraphs):,} paragraphs in {time.perf_counter() - begun:.1f} s, at most {peak:.0f} MB")


if __name__ == "__main__":
    main()
