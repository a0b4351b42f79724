"""Lists of the API with all their pages, and as data frames."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas


class Rows(list[dict[str, Any]]):
    """The rows of a list, as dicts with the fields that `/api/v1/docs` of the site describes."""

    def frame(self) -> "pandas.DataFrame":
        """The rows as a pandas DataFrame. Fields of a field get a column each, such as `outcome.total_profit`.

        Rows with a list of objects, such as the cells of a leaderboard, become a row for each object. Raises ImportError
        without pandas.
        """
        import pandas

        lists = (name for row in self for name, value in row.items() if _is_list_of_objects(value))
        inner = next(lists, None)
        rows = [row | child for row in self for child in row[inner]] if inner else list(self)
        return pandas.json_normalize(rows).drop(columns=[inner] if inner else [])


def _is_list_of_objects(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and isinstance(value[0], dict)
