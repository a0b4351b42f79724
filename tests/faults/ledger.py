"""Invariant I4, and the end of I5: the site's books against the provider's bill, to the billionth of a dollar."""

KEPT_APART = ("runs_run", "runs_experiment", "runs_exchange", "runs_period")
SUM_OF_A_RUN = """
    SELECT r.id, r.cost_nano AS said, COALESCE(SUM(e.cost_nano), 0) AS is_ FROM runs_run r
    LEFT JOIN runs_exchange e ON e.run_id = r.id GROUP BY r.id, r.cost_nano
"""
SUM_OF_AN_EXPERIMENT = """
    SELECT x.id, x.cost_nano AS said, COALESCE(SUM(r.cost_nano), 0) AS is_ FROM runs_experiment x
    LEFT JOIN runs_run r ON r.experiment_id = x.id GROUP BY x.id, x.cost_nano
"""
SUM_OF_ALL = """
    SELECT 0 AS id, COALESCE((SELECT SUM(cost_nano) FROM {}), 0) AS said,
    COALESCE((SELECT SUM(cost_nano) FROM runs_run), 0) AS is_
"""


def ledger_is_the_bill(evidence):
    """I4: replies are booked at their price, unknown outcomes at no less, and every sum is the sum of its rows."""
    found = [
        f"The provider billed {line.cost_nano} for {line.kind} {line.serial} ({line.action}, step {line.step}),"
        " which no row stands for."
        for line in evidence.matched.strangers
    ]
    found += [sentence for row in evidence.matched.rows if (sentence := _booked_wrong(row))]
    sums = {"Run": SUM_OF_A_RUN, "Experiment": SUM_OF_AN_EXPERIMENT}
    for table, columns in evidence.books.columns.items():
        # Tables that keep money besides runs and experiments, such as what an organization spends in a month.
        if {"cost_nano", "reserved_nano"} <= columns and table not in KEPT_APART:
            sums[table] = SUM_OF_ALL.format(table)
    return found + [
        f"{what} {row['id']}: {row['said']} is booked where its parts come to {row['is_']}."
        for what, query in sums.items()
        for row in evidence.books.rows(query)
        if row["said"] != row["is_"]
    ]


def _booked_wrong(row):
    billed = row.billed.cost_nano if row.billed else 0
    what = f"Exchange {row.id} of run {row.run_id} is {row.state}, booked at {row.cost_nano}"
    if row.state in ("replied", "late"):
        if row.billed is None:
            return f"{what}, and stands for no line of the bill."
        return "" if row.cost_nano == billed else f"{what} and billed at {billed}."
    if row.state == "failed":
        return "" if row.cost_nano == 0 and billed == 0 else f"{what} and billed at {billed}."
    if row.state == "sent":
        return f"{what} when everything is over."
    return f"{what} and billed at {billed}." if row.cost_nano < billed else ""


def nothing_stays_reserved(books):
    found = []
    for table, columns in books.columns.items():
        if "reserved_nano" in columns and table != "runs_exchange":
            rows = books.rows(f"SELECT id, reserved_nano AS r FROM {table} WHERE reserved_nano <> 0")
            found += [f"{table} {row['id']} keeps {row['r']} reserved with nothing in flight." for row in rows]
    return found
