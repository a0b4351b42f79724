"""Vectors of paragraphs, computed here: TF-IDF with truncated SVD (latent semantic analysis), then PCA."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float32]

SVD_DIMENSIONS, PCA_DIMENSIONS = 100, 20
MOST_WORDS = 20_000
SEED = 0


class TooLittleText(Exception):
    """The texts cannot be told apart. The message is one sentence."""


@dataclass(frozen=True)
class Weights:
    """TF-IDF weights: a sparse matrix with one row a paragraph, and the word of each column."""

    matrix: Any
    vocabulary: Sequence[str]


def tfidf_weights(texts: Sequence[str]) -> Weights:
    """Weights with sublinear term frequency and rows of length 1. Raises TooLittleText.

    Words are runs of two or more letters, so names with a number such as W12 do not count; English stop words are left out.
    """
    from sklearn.feature_extraction.text import TfidfVectorizer

    options: dict[str, Any] = {
        "sublinear_tf": True,
        "max_features": MOST_WORDS,
        "stop_words": "english",
        "token_pattern": r"(?<!\w)[^\W\d_]{2,}(?!\w)",
        "min_df": 2 if len(texts) >= 200 else 1,
        "max_df": 0.5 if len(texts) >= 200 else 1.0,
        "dtype": np.float32,
    }
    try:
        vectorizer = TfidfVectorizer(**options)
        matrix = vectorizer.fit_transform(texts)
    except ValueError:  # an empty vocabulary
        raise TooLittleText("The notes have no words that occur often enough to tell paragraphs apart.") from None
    return Weights(matrix, vectorizer.get_feature_names_out())


def svd_vectors(weights: Weights) -> Matrix:
    """Vectors of length 1 of at most SVD_DIMENSIONS dimensions, by randomised truncated SVD with a fixed seed."""
    from sklearn.decomposition import TruncatedSVD
    from sklearn.preprocessing import normalize

    most = min(SVD_DIMENSIONS, min(weights.matrix.shape) - 1)
    if most < 1:
        return np.asarray(weights.matrix.todense(), dtype=np.float32)
    with np.errstate(invalid="ignore", divide="ignore"):  # shares of variance where all texts are equal
        vectors = TruncatedSVD(most, random_state=SEED).fit_transform(weights.matrix)
    return np.asarray(normalize(vectors), dtype=np.float32)


def principal_components(vectors: Matrix) -> tuple[Matrix, list[float]]:
    """Coordinates on at most PCA_DIMENSIONS principal components, and the share of variance of each. Seed fixed."""
    from sklearn.decomposition import PCA

    solver = "covariance_eigh" if vectors.shape[1] <= SVD_DIMENSIONS else "randomized"
    pca = PCA(min(PCA_DIMENSIONS, *vectors.shape), svd_solver=solver, random_state=SEED)
    with np.errstate(invalid="ignore", divide="ignore"):
        coordinates = pca.fit_transform(vectors)
    shares = np.nan_to_num(pca.explained_variance_ratio_)
    return np.asarray(coordinates, dtype=np.float32), [float(share) for share in shares]
