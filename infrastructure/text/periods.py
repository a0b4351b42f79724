"""How every page names a period of a run. The papers count periods from 0."""


def period_of(period: int, periods: int) -> str:
    """'Period 99 of 0–99': the number of a period, and the numbers of all periods of its run."""
    return f"Period {period} of 0–{max(0, periods - 1)}"
