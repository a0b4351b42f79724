"""Malicious or broken tables are refused with a sentence that states file and line, and are not stored."""

import pytest

from runs.models import Agent, Experiment, Instance, Note, Run
from tests.workspace.transfer.published_log import edit, write_log
from workspace.transfer.reading import folders, tables
from workspace.transfer.reading.literals import NotALiteral, parse_literal


@pytest.fixture
def problem(stored, previewed):
    """The sentence with which the only log is refused; nothing is stored."""

    def tell():
        imported = stored()
        assert imported.experiment is None
        assert [row.problem for row in imported.rows] == [row.problem for row in previewed()]
        assert not (Run.objects.exists() or Experiment.objects.exists() or Instance.objects.exists())
        assert not Agent.objects.filter(imported=True).exists()
        return imported.rows[0].problem

    return tell


CELLS = {
    "alloc": {
        "{'Offer_1': nan}": "must be a non-negative whole number, but it was nan",
        "{'Offer_1': inf}": "must be a non-negative whole number, but it was inf",
        "{'Offer_1': -1}": "must be a non-negative whole number, but it was -1",
        "{'Offer_1': True}": "must be a non-negative whole number, but it was True",
        "{'Offer_99': 1}": "Unknown offer 'Offer_99'",
        "{'Offer_1': [1]}": "must be a single value",
        "[1]": "must be a dictionary",
        "__import__('os').system('x')": "is not a value in Python's notation",
        "{'a': " * 50: "nested more than",
        "{'Offer_1': " + "9" * 400 + "}": "too many digits",
    },
    "cost": {"nan": "must be a finite number", "1e999": "must be a finite number", "x": "must be a finite number"},
    "attempt_num": {"-1": "must be a whole number", "0.5": "must be a whole number", "7": "but period 0 is missing"},
}
PARAMETERS = {
    "seed": {"-1": "must be a whole number", "nan": "must be a finite number", "1": "is not what seed 1 gives"},
    "budget": {"1e9": "must be within $1.00 of", "": "is empty or missing"},
    "item_to_effectiveness": {"{'A1': 9}": "is not what seed 0 gives, so the instance cannot be rebuilt"},
    "menu": {"{}": "is not what seed 0 gives", "oops": "is not a value in Python's notation"},
    "prompt_type": {"v99": "is 'v99'; known are v1"},
    "num_attempts": {"0": "must be from 1 to 100", "101": "must be from 1 to 100"},
    "num_inputs": {"1e8": "must be a whole number from 0 to 50"},
}


WRONG = [("logs.csv, line ", c, v, w) for c, found in CELLS.items() for v, w in found.items()]
WRONG += [("global_params.csv, line 2: ", c, v, w) for c, found in PARAMETERS.items() for v, w in found.items()]


@pytest.mark.long
def test_an_invalid_cell_is_reported_with_file_and_line(problem, tmp_path):
    folder = write_log(tmp_path, "procurement", name="run", periods=2)
    for place, column, value, wrong in WRONG:
        path = folder / place.partition(",")[0]
        whole = path.read_bytes()
        change = lambda rows: next(row for row in rows if row.get("alloc") != "").update({column: value})  # noqa: B023, E731
        edit(path, change)
        sentence = problem()
        assert sentence.startswith(f"run/{place}") and sentence.endswith("."), (column, value)
        assert wrong in sentence and len(sentence) < 400, (column, value)
        path.write_bytes(whole)


def test_repeated_missing_and_surplus_periods_are_refused(problem, tmp_path):
    folder = write_log(tmp_path, "scheduling", name="run")
    whole = (folder / "logs.csv").read_bytes()
    edit(folder / "logs.csv", lambda rows: rows + [rows[-1]])
    assert "period 2 comes again or out of order" in problem()
    edit(folder / "logs.csv", lambda rows: [row for row in rows if row["attempt_num"] != "1"])
    assert "period 2 comes, but period 1 is missing" in problem()
    (folder / "logs.csv").write_bytes(whole)
    edit(folder / "global_params.csv", lambda rows: rows[0].update(num_attempts="2"))
    assert "there are more than 2 periods" in problem()


BROKEN = {
    b"": "is empty",
    b"attempt_num,alloc\n0,\n": "missing columns: cost, utility, is_feasible",
    b"a,a\n1,2\n": "a heading appears twice",
    b"\xff\xfe\x00": "the text is not UTF-8",
    b"attempt_num,alloc,cost,utility,is_feasible\n0\n": "there are 1 cells under 5 headings",
    b"attempt_num,alloc,cost,utility,is_feasible\n0,\0,,,\n": "there is a NUL character",
    b'attempt_num,alloc,cost,utility,is_feasible\n0,"open\n': "the table is broken",
    b"attempt_num,alloc,cost,utility,is_feasible\n": "holds no played period",
}


@pytest.mark.long
def test_a_broken_table_is_refused(problem, tmp_path):
    folder = write_log(tmp_path, "procurement", name="run")
    for content, wrong in BROKEN.items():
        (folder / "logs.csv").write_bytes(content)
        sentence = problem()
        assert sentence.startswith("run/logs.csv") and wrong in sentence, content


@pytest.mark.long
def test_lines_cells_rows_and_periods_are_limited(problem, tmp_path, monkeypatch):
    folder = write_log(tmp_path, "procurement", name="run", queries=3)
    monkeypatch.setattr(tables, "MAX_ROW", 1000)
    assert "the row is longer than 1,000 characters" in problem()
    monkeypatch.undo()
    monkeypatch.setattr(tables, "MAX_ROWS", 3)
    assert "has more than 3 rows" in problem()
    monkeypatch.undo()
    monkeypatch.setattr(folders, "MAX_CALLS_OF_A_PERIOD", 2)
    assert "a period has more than 2 queries" in problem()
    monkeypatch.undo()
    (folder / "logs.csv").write_bytes(b"x" * (tables.MAX_CELL + tables.CHUNK + 1))
    assert "the line is longer than" in problem()


def test_missing_tables_and_unknown_environments_are_refused(problem, tmp_path):
    folder = write_log(tmp_path, "procurement", name="run")
    (folder / "global_params.csv").write_text("a,b\n1,2\n")
    assert "are those of no environment known here" in problem()
    (folder / "global_params.csv").unlink()
    assert problem() == "run has no global_params.csv."


def test_a_bad_log_does_not_exclude_good_logs(stored, tmp_path):
    write_log(tmp_path, "scheduling", name="good")
    (write_log(tmp_path, "procurement", name="bad") / "logs.csv").write_bytes(b"")
    imported = stored()
    assert imported.experiment.runs.count() == 1
    assert [row.problem for row in imported.rows if row.problem] == ["bad/logs.csv is empty."]


@pytest.mark.long
def test_a_failed_import_stores_nothing(stored, tmp_path, monkeypatch):
    write_log(tmp_path, "scheduling", name="one")
    write_log(tmp_path, "procurement", name="two")

    def fail(*args, **options):
        raise OSError("The disk is full.")

    # The disk fills up at the notes of the first run, when experiment, run and periods are written already.
    monkeypatch.setattr(type(Note.objects), "bulk_create", fail)
    with pytest.raises(OSError, match="disk is full"):
        stored()
    assert not (Run.objects.exists() or Experiment.objects.exists() or Instance.objects.exists())


@pytest.mark.parametrize(
    "text",
    ["", "{", "[1 2]", "{1}", "{1:2,1:3}", "1 2", "foo", "np.float64(", "np.float64(1,2)", "[)", "'abc", "-" * 3000]
    + ["[" * 100_000, "1" * 5000, "{[1]:2}", "{'a':1]", "1+2", "()" * 3, "np.float64()"],
)
def test_text_that_is_not_a_literal_raises_a_single_error_type(text):
    with pytest.raises(NotALiteral):
        parse_literal(text)


def test_values_are_parsed_as_python_prints_them():
    for value in ([1, -2.5, None, True], {"it's": 'a "b"\n\\ é\x00😀', 1: []}, "", {}, [[], {"a": {"b": ["c"]}}]):
        assert parse_literal(repr(value)) == value
    assert parse_literal("{'a': np.float64(1.5), 'b': (np.int64(3),)}") == {"a": 1.5, "b": [3]}


def test_characters_that_a_database_refuses_are_dropped(imported, tmp_path):
    folder = write_log(tmp_path, "scheduling", name="run")

    def change(rows):
        closing = next(row for row in rows if row["matching"])
        closing["blocking_pair"] = "[('W1\\x00', '\\ud800')]"
        rows[0]["system"] = "Hello\\x00"
        content = [{"type": "text", "text": "a\x00\ud800b"}]
        rows[0]["completion"] = str({"content": content, "usage": {}, "stop_reason": "end_turn"})
        rows[0]["messages"] = str([{"role": "user", "content": "nul \x00 and \ud800"}])

    edit(folder / "logs.csv", change)
    run = imported()
    assert run.exchanges.first().reply["text"] == "a\ufffd\ufffdb"
    assert run.source.prompts["initial"] == "nul \ufffd and \ufffd"
    assert "\0" not in run.source.differences[0]
