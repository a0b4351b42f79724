"""A model field for large JSON values, a function for times, and aggregates that read a whole column of a group."""

import json
import zlib
from typing import Any

import numpy as np
from django.db import models
from numpy.typing import NDArray


def compressed(value: Any) -> bytes:
    """Return a JSON value as CompressedJSONField stores it. So rows can be prepared before their transaction begins."""
    return zlib.compress(json.dumps(value, separators=(",", ":")).encode(), 6)


class CompressedJSONField(models.BinaryField):  # type: ignore[type-arg]  # not subscriptable at run time
    """Field for compressed JSON. Unlike PostgreSQL's jsonb it keeps the order of keys, which pages need for actions.

    A value of type bytes is stored as it is: it must be the result of `compressed`.
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
    """Seconds since 1970, computed by the database from a column of times. Reading 10,000 datetimes is much slower."""

    output_field = models.FloatField()
    template = "CAST(EXTRACT(EPOCH FROM %(expressions)s) AS DOUBLE PRECISION)"

    def as_sqlite(self, compiler, connection, **context):  # type: ignore[no-untyped-def]
        return super().as_sql(
            compiler, connection, template="((julianday(%(expressions)s) - 2440587.5) * 86400.0)", **context
        )

    def get_db_converters(self, connection):  # type: ignore[no-untyped-def]
        return []  # The database returns floats already. Calling a converter for each of 50,000 values would be slow.


class JSONText(models.Func):
    """A value inside a JSON column as text, as a number on SQLite if it is one; NULL for a JSON null.

    Django's `KeyTextTransform` reads the value three times on SQLite, and gives a JSON null as the text 'null'.
    """

    function = "JSONB_EXTRACT_PATH_TEXT"
    output_field = models.TextField()

    def __init__(self, column: str, *path: str):
        super().__init__(column, *map(models.Value, path))

    def as_sqlite(self, compiler, connection, **context):  # type: ignore[no-untyped-def]
        column, *path = self.get_source_expressions()
        inside = models.Value("$" + "".join(f'."{key.value}"' for key in path))
        return models.Func(column, inside, function="JSON_EXTRACT").as_sql(compiler, connection, **context)


class _Whole(models.Aggregate):
    """Aggregate that returns all values of a column at once, which is faster than one row per value.

    on_sqlite: its SQL template for SQLite
    """

    on_sqlite: str

    def as_sqlite(self, compiler: Any, connection: Any, **context: Any) -> Any:
        twin = self.copy()
        twin.template = self.on_sqlite
        return twin.as_sql(compiler, connection, **context)


class Joined(_Whole):
    """Aggregate that joins the texts of a group to one text."""

    output_field = models.TextField()
    template, on_sqlite = "string_agg(%(expressions)s, '')", "group_concat(%(expressions)s, '')"


class _Array(_Whole):
    """Aggregate that returns the numbers of a group as an array of shape (rows,).

    PostgreSQL sends the numbers as bytes, SQLite as digits. The array is empty if the filter leaves no row.
    """

    output_field = models.BinaryField()
    dtype: np.dtype[Any]

    def convert_value(self, value: bytes | str | None, *_: object) -> NDArray[Any]:
        if value is None:
            return np.empty(0, self.dtype)
        if isinstance(value, str):
            return np.fromstring(value, self.dtype, sep=",")
        return np.frombuffer(value, self.dtype.newbyteorder(">")).astype(self.dtype)


class Integers(_Array):
    dtype = np.dtype(np.int64)
    template, on_sqlite = "string_agg(int8send(%(expressions)s), '')", "group_concat(%(expressions)s)"


class Floats(_Array):
    dtype = np.dtype(np.float64)
    template = "string_agg(float8send(%(expressions)s), '')"
    on_sqlite = "group_concat(printf('%%%%!.17g', %(expressions)s))"
