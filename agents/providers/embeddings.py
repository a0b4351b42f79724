"""Vectors of texts from OpenAI's embeddings API and compatible endpoints."""

import base64
import math
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents.llm import Usage
from agents.providers.connection import Connection
from agents.providers.faults import Failure
from agents.providers.wire import tokens

MOST_DIMENSIONS = 8192


class Vectors(NamedTuple):
    """The vectors of texts, (texts, dimensions), and the billed tokens."""

    vectors: NDArray[np.float32]
    usage: Usage


class Embeddings(Connection):
    """One embedding model. Deadlines, address checks and errors are the same as for queries."""

    def embed(self, texts: Sequence[str]) -> Vectors:
        """The vectors of texts. Raises ProviderRetry or ProviderFatal."""
        deadline, body = self._deadline(), {"model": self.options.model, "input": list(texts)}
        # Base64 takes a third of the space of decimal numbers. Endpoints that do not know it send numbers.
        compact = {"encoding_format": "base64"} if self.learned.takes("encoding_format") else {}
        answer = self._send(self._sdk.post, "/embeddings", deadline, self.learned, body=body | compact)
        if isinstance(answer, Failure) and compact and "encoding_format" in f"{answer.complaint}":
            self.learned = self.learned.without("encoding_format")
            answer = self._send(self._sdk.post, "/embeddings", deadline, self.learned, body=body)
        if isinstance(answer, Failure):
            raise self.fault(answer)
        data = self.read_object(answer)
        usage = Usage(input_tokens=tokens(data.get("usage"), "total_tokens"))
        if failure := Failure.within(data, usage):
            raise self.fault(failure)
        return Vectors(self._vectors(data, len(texts)), usage)

    def _vectors(self, data: dict[str, Any], number: int) -> NDArray[np.float32]:
        rows = data.get("data")
        by_position: dict[int, NDArray[np.float32]] = {}
        for position, row in enumerate(rows if isinstance(rows, list) else []):
            if isinstance(row, dict):
                index = row.get("index", position)
                by_position[index if isinstance(index, int) else position] = _vector(row.get("embedding"))
        vectors = [by_position.get(position, np.empty(0, np.float32)) for position in range(number)]
        sizes = {len(vector) for vector in vectors}
        if len(sizes) != 1 or not 0 < min(sizes) <= MOST_DIMENSIONS or len(by_position) != number:
            raise self.unreadable("a body that does not hold one vector for each text")
        return np.stack(vectors)


def _vector(value: object) -> NDArray[np.float32]:
    """Parse a vector from decimal numbers or from base64 of 32-bit floats; empty if it is invalid or not finite."""
    vector = np.empty(0, np.float32)
    with suppress(ValueError):
        if isinstance(value, str):
            vector = np.frombuffer(base64.b64decode(value, validate=True), dtype="<f4").astype(np.float32)
        elif isinstance(value, list) and all(isinstance(n, int | float) and math.isfinite(n) for n in value):
            vector = np.asarray(value, dtype=np.float32)
    return vector if np.isfinite(vector).all() else np.empty(0, np.float32)
