"""The text analysis: paragraphs, clusters with known themes, dominance and preference lists by hand."""

import random

import numpy as np
import pytest

from analysis.notes.text.clusters import (
    Paragraph,
    Reservoir,
    balanced,
    clusters,
    dominance,
    number_of_clusters,
    principal_components,
    svd_vectors,
)
from analysis.notes.text.preferences import longest_list
from analysis.notes.text.report import report
from environments.registry import ENVIRONMENTS
from stats.texts import TooLittleText, paragraphs_of, tfidf_weights

NAMES = ENVIRONMENTS["scheduling"].ranked_names
THEMES = {
    "drift": "price drift rises upward trend linear slope demand",
    "cycle": "cycle period sinus wave amplitude peak phase",
    "budget": "budget supplier discount bulk invoice quantity order",
    "match": "worker task stable blocking pair swap assignment",
}


def test_notes_are_split_at_blank_lines_and_parts_without_words_are_dropped():
    note = "First line\nsecond line\r\n\r\n- one\n- two\n \t \n\n\n---\n\n  last  "
    assert paragraphs_of(note) == ["First line\nsecond line", "- one\n- two", "last"]
    assert paragraphs_of("") == paragraphs_of("\n\n***\n") == []


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("text", "length"),
    [
        # Section 4.3.3, footnote 15.
        ("W1>W2", 2),
        ("W1>W2>W3", 3),
        ("W1 prefers T1", 1),
        # The examples of section 4.3.3.
        ("- $W1$  prefers  $T10 > T4 > T1$ .  $T10$  prefers  $W1 > W5$ .  $-> W1: T10$ .", 3),
        ("- *W5 prefers T10 > T5. But W1 beats W5 for T10. T5 prefers W20 > W5. W20 prefers T18 > T5.*", 2),
        ("W20 prefers T18 > (T5?) > T17 > T6. -> W20: T18. [...]", 4),
        ("1. **W18 -> T1**: W18 has a strong preference for T1.", 1),
        ("3. **W2 -> T14**: Attempt 8 showed W2 prefers T14 over T9.[...]", 2),
        # Other wordings of preferences.
        ("W1 prefers T2, then T3, then T9", 3),
        ("W4's order: T1, T3, T7", 3),
        ("W3 < W7", 2),
        ("T2 prefers W9 to W4", 2),
        ("T2 prefers W9 rather than W4.", 2),
        ("Ranking of T5 (so far): W1, then W2, W8", 3),
        ("T1 likes W3 followed by W4", 2),
        ("$W_{24}$ prefers $T_2$ over $T_{24}$ and is more suited than $W_2$", 2),
        ("Swap W1 <-> T3 and W2 <- T4.", 0),
        ("Assign W1 to T3, then W2 to T4", 0),
        # Appendix N.2.
        ("W2 should get T1 (proven better than W1)", 1),
        ("- W4: T9 > T3 > T7 > T6 > T10 > T4 (from attempts 1,2,5,8,11).", 6),
        ("W8 prefers T12  $>$  T17  $>$  T8/1/6 and T12 prefers W3 over W8", 3),
        ("T8: W14 > W8; unknown vs W7 -> keep W14 at T8", 2),
        ("W4 prefers T18 >= T15", 2),
        ("W1 prefers T7 over T4 > T9 > T1", 4),
        ("Summary: W4 -> T19 W11 -> T12 W13 $\\rightarrow$ T11", 0),
        ("Workers often prefer tasks with similar numbers.", 0),
        ("The pattern: W15 often prefers T13.", 1),
        ("T1 => T2, W3 --> T4", 0),
        ("", 0),
    ],
)
def test_the_longest_preference_list_is_read(text, length):
    assert longest_list(text, NAMES) == length


def test_hostile_paragraphs_are_read_in_linear_time():
    for piece in ("T1 ", "T1 > ", "T1/", "T1  " * 3 + ">", "> "):
        assert longest_list(piece * 5_000, NAMES) >= 0


def written(agent, theme, number, rng):
    words = THEMES[theme].split()
    return [Paragraph(agent, agent, place, " ".join(rng.choices(words, k=12))) for place in range(number)]


@pytest.fixture(scope="module")
def themes():
    """Agent 1 writes of drift and cycles, agent 2 of budgets and matchings, agent 2 three times as much."""
    rng = random.Random(1)
    told = {1: ("drift", "cycle"), 2: ("budget", "match")}
    return [
        one
        for agent, names in told.items()
        for name in names
        for one in written(agent, name, 40 if agent == 1 else 120, rng)
    ]


def analysed(paragraphs, number):
    weights = tfidf_weights([one.text for one in paragraphs])
    coordinates, variance = principal_components(svd_vectors(weights))
    assert np.isfinite(coordinates).all() and np.isfinite(variance).all()
    return clusters(paragraphs, coordinates, weights, number), coordinates


@pytest.mark.long
def test_clusters_reproduce_the_themes_their_words_and_their_agents(themes):
    found, _ = analysed(themes, 4)
    assert len(found) == 4 and sorted(cluster.size for cluster in found) == [40, 40, 120, 120]
    for cluster in found:
        theme = next(name for name, words in THEMES.items() if cluster.label.split(", ")[0] in words)
        assert set(cluster.label.split(", ")) <= set(THEMES[theme].split())
        assert cluster.dominant == (1 if theme in ("drift", "cycle") else 2) and cluster.dominance == 1
        assert len(cluster.nearest) == 10
        assert all(set(themes[place].text.split()) <= set(THEMES[theme].split()) for place in cluster.nearest)
    again, _ = analysed(themes, 4)
    assert found == again


def test_dominance_is_relative_to_the_paragraphs_of_an_agent():
    # 8 of 10 paragraphs against 12 of 120: shares 0.8 and 0.1, so 8/9 although it wrote fewer of them.
    shares, dominant, percent = dominance({1: 8, 2: 12}, {1: 10, 2: 120})
    assert (shares, dominant) == ({1: 0.8, 2: 0.1}, 1) and percent == pytest.approx(8 / 9)
    assert dominance({2: 5}, {1: 10, 2: 10})[1:] == (2, 1.0)
    assert dominance({1: 5, 2: 5}, {1: 10, 2: 10})[1:] == (1, 0.5)


def test_a_balanced_sample_is_equal_per_agent_and_reproducible(themes):
    some = balanced(themes, seed=0)
    assert [sum(one.agent == agent for one in some) for agent in (1, 2)] == [80, 80]
    assert some == balanced(themes, seed=0) and some != balanced(themes, seed=1) and balanced([], 0) == []


@pytest.mark.long
def test_a_reservoir_samples_a_stream_uniformly():
    kept = [0] * 50
    for seed in range(2_000):
        reservoir = Reservoir(10, seed)
        for place in range(50):
            reservoir.add(Paragraph(1, 1, place, ""))
        for one in reservoir.kept:
            kept[one.period] += 1
    assert reservoir.seen == 50 and min(kept) > 330 and max(kept) < 470


def test_few_paragraphs_give_few_clusters():
    assert number_of_clusters(8, 10_000) == 80 and number_of_clusters(2, 60) == 12 and number_of_clusters(2, 3) == 1


@pytest.mark.parametrize(
    "texts", [["alpha beta"] * 30, ["alpha beta", "gamma delta"] * 15, ["word"] * 12 + ["other"] * 3]
)
def test_identical_texts_give_fewer_clusters_and_no_nan(texts):
    paragraphs = [Paragraph(1 + place % 2, 1, place, text) for place, text in enumerate(texts)]
    found, coordinates = analysed(paragraphs, 6)
    assert 1 <= len(found) <= len(set(texts))
    result = report(paragraphs, found, coordinates, names={1: "A", 2: "B"}, ranked=NAMES)
    assert "alike" in " ".join(result["sentences"]) or "few" in " ".join(result["sentences"])
    assert all(row["mean"] is None and row["cluster_mean"] is None for row in result["preferences"])


def test_texts_without_usable_words_are_refused_with_a_sentence():
    with pytest.raises(TooLittleText, match="no words"):
        tfidf_weights(["1 2 3", "the of and"] * 10)


def test_the_metrics_of_table_2_agree_with_a_hand_calculation():
    """Two clusters far apart: one states lists of length 3 and 1, the other none."""
    texts = ["W1 prefers T1 > T2 > T3 surely"] * 6 + ["W1 prefers T1 surely"] * 2 + ["calm budget supplier invoice"] * 8
    agents = [1] * 6 + [2] * 2 + [1] * 2 + [2] * 6
    paragraphs = [
        Paragraph(agent, 7, place, text) for place, (agent, text) in enumerate(zip(agents, texts, strict=True))
    ]
    found, coordinates = analysed(paragraphs, 2)
    result = report(paragraphs, found, coordinates, names={1: "A", 2: "B"}, ranked=NAMES)
    first, second = sorted(result["preferences"], key=lambda row: row["agent"])
    assert (first["cluster_share"], first["cluster_mean"], first["share"], first["mean"]) == (0.75, 3, 0.75, 3)
    assert (second["cluster_share"], second["cluster_mean"], second["share"], second["mean"]) == (0.25, 3, 0.25, 1)
    assert (first["longest"], first["example"]["run"], first["example"]["period"]) == (3, 7, 0)
    assert "stands out most" in result["sentences"][0] and "A dominates 1, B dominates 1" in result["sentences"][1]
