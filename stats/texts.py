"""Texts as paragraphs, and paragraphs as TF-IDF weights of their words."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

MOST_WORDS = 20_000
BLANK_LINES = re.compile(r"\n[^\S\n]*\n\s*")
MEANING = re.compile(r"[^\W_]")
LONGEST = 20_000
"""Characters of a paragraph that are read."""


class TooLittleText(Exception):
    """Raised if the texts cannot be told apart. The message is one sentence."""


@dataclass(frozen=True)
class Weights:
    """TF-IDF weights: a sparse matrix with one row per paragraph, and the word of each column."""

    matrix: Any
    vocabulary: Sequence[str]


def tfidf_weights(texts: Sequence[str]) -> Weights:
    """TF-IDF weights with sublinear term frequency and rows of length 1. Raises TooLittleText.

    Words are sequences of two or more letters, so names with a number such as W12 do not count. English stop words are
    left out.
    """
    from sklearn.feature_extraction.text import TfidfVectorizer

    is_large = len(texts) >= 200
    vectorizer = TfidfVectorizer(
        sublinear_tf=True,
        max_features=MOST_WORDS,
        stop_words="english",
        token_pattern=r"(?<!\w)[^\W\d_]{2,}(?!\w)",
        min_df=2 if is_large else 1,
        max_df=0.5 if is_large else 1.0,
        dtype=np.float32,
    )
    try:
        matrix = vectorizer.fit_transform(texts)
    except ValueError:  # an empty vocabulary
        raise TooLittleText("The notes have no words that occur often enough to tell paragraphs apart.") from None
    return Weights(matrix, vectorizer.get_feature_names_out())


def paragraphs_of(note: str) -> list[str]:
    """Split the note at blank lines (paper, section 4.3.1). Parts without a letter or digit are left out."""
    parts = BLANK_LINES.split(note.replace("\r\n", "\n").replace("\r", "\n"))
    return [part.strip()[:LONGEST] for part in parts if MEANING.search(part)]


def likeness(query: str, texts: Sequence[str]) -> list[float]:
    """The cosine of the TF-IDF weights of the query and of each text, from 0 to 1. Raises TooLittleText."""
    matrix = tfidf_weights([query, *texts]).matrix
    return [float(value) for value in (matrix[1:] @ matrix[0].T).toarray().ravel()]
