"""A model field for large JSON values, and times as numbers."""

import json
import zlib
from typing import Any

from django.db import models


def compressed(value: Any) -> bytes:
    """A JSON value as CompressedJSONField stores it, for rows that are prepared before their transaction."""
    return zlib.compress(json.dumps(value, separators=(",", ":")).encode(), 6)


class CompressedJSONField(models.BinaryField):  # type: ignore[type-arg]  # not subscriptable at run time
    """Compressed JSON. Unlike PostgreSQL's jsonb it keeps the order of keys, in which pages print an action.

    Bytes are taken as compressed already.
    """

    def from_db_value(self, value: Any, expression: Any, connection: Any) -> Any:
        return None if value is None else json.loads(zlib.decompress(bytes(value)))

    def get_prep_value(self, value: Any) -> bytes | None:
        return value if value is None or isinstance(value, bytes) else compressed(value)

    def value_to_string(self, obj: models.Model) -> str:
        return json.dumps(self.value_from_object(obj))

    def to_python(self, value: Any) -> Any:
        return json.loads(value) if isinstance(value, str) else value


class UnixTime(models.Func):
    """Seconds since 1970 of a column of times, computed by the database: much faster than reading 10,000 datetimes."""

    output_field = models.FloatField()
    template = "CAST(EXTRACT(EPOCH FROM %(expressions)s) AS DOUBLE PRECISION)"

    def as_sqlite(self, compiler, connection, **context):  # type: ignore[no-untyped-def]
        template = "((julianday(%(expressions)s) - 2440587.5) * 86400.0)"
        return super().as_sql(compiler, connection, template=template, **context)

    def get_db_converters(self, connection):  # type: ignore[no-untyped-def]
        return []  # The database returns floats, and a call for each of 50,000 values would take a while.
