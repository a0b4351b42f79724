"""A field for the bulky parts of a run."""

from __future__ import annotations

import json
import zlib
from typing import Any

from django.db import models


class CompressedJSONField(models.BinaryField):
    """JSON, compressed. Unlike PostgreSQL's jsonb it keeps the order of keys, which an agent's action prints in."""

    def from_db_value(self, value: Any, expression: Any, connection: Any) -> Any:
        return None if value is None else json.loads(zlib.decompress(bytes(value)))

    def get_prep_value(self, value: Any) -> bytes | None:
        if value is None:
            return None
        return zlib.compress(json.dumps(value, separators=(",", ":")).encode(), 6)

    def value_to_string(self, obj: models.Model) -> str:
        return json.dumps(self.value_from_object(obj))

    def to_python(self, value: Any) -> Any:
        return json.loads(value) if isinstance(value, str) else value
