"""The mistakes that benchmarks/mutants.py makes in functions, and how it runs tests against them."""

import json
import os

import pytest

from benchmarks.branches import Reach, run, table
from benchmarks.harness import ROOT
from benchmarks.mutant_runs import Copy
from benchmarks.mutants import compare_results, draw
from benchmarks.mutations import mutants_of


def mistakes(line):
    """(operator, the line with the mistake) for every mistake in a line of a function."""
    source = f"def f(a, b, c, query):\n    {line}\n"
    for mutant in mutants_of("f.py", source):
        yield mutant.operator, mutant.applied(source).splitlines()[1].strip()


@pytest.mark.parametrize(
    ("operator", "line", "after"),
    [
        ("boundary", "b = a < c", "b = (a <= c)"),
        ("comparison", "b = a < c", "b = (a >= c)"),
        ("comparison", "b = a is not c", "b = (a is c)"),
        ("and-or", "b = a and c", "b = (a or c)"),
        ("clause", "b = a and b and c", "b = (a and c)"),
        ("not", "b = not a", "b = (a)"),
        ("arithmetic", "b = a + c * b", "b = a + (c / b)"),
        ("constant", "b = a[7]", "b = a[(8)]"),
        ("constant", "b = a(True)", "b = a(False)"),
        ("return", "return a", "return None"),
        ("statement", "a += c", "pass"),
        ("statement", "a.save()", "pass"),
        ("statement", "raise a", "pass"),
        ("condition", "b = a if c(a) else b", "b = a if (not (c(a))) else b"),
        ("extreme", "b = min(a, c)", "b = max(a, c)"),
        ("lookup", "b = query.filter(due__lt=a)", "b = query.filter(due__lte=a)"),
        ("query", "b = query.filter(pk=a, owner=c)", "b = query.filter(pk=a)"),
        ("transaction", "with atomic(): a.save()", 'with __import__("contextlib").nullcontext(): a.save()'),
        ("jump", "for b in a: continue", "for b in a: break"),
    ],
)
def test_every_operator_makes_its_mistake(operator, line, after):
    assert (operator, after) in list(mistakes(line))


@pytest.mark.parametrize(
    "line", ["b: list[1] = a", "return", "logger.info(a)", "b = 'a' + c", "b = f'{a + 1}'", "b = query.get(pk=a)"]
)
def test_names_texts_and_log_lines_are_not_mutated(line):
    assert not list(mistakes(line))


def test_mutants_of_decorators_and_defaults_run_all_tests_of_the_function():
    source = "class Tests:\n    @transaction.atomic\n    def f(self, most=3):\n        a = 'ü'\n        return a\n"
    made = {mutant.operator: mutant for mutant in mutants_of("f.py", source)}
    assert made["decorator"].applied(source) == source.replace("@transaction.atomic", "")
    assert "most=(2)" in made["constant"].applied(source)
    assert made["decorator"].reached == made["constant"].reached == (4, 5)
    assert made["return"].reached == (5, 5)
    assert made["return"].name == "f.py:5 return return a -> return None"


FUNCTION = "def f(a):\n    return a < 1 or a > 3\n"


def test_a_key_survives_moved_lines_and_the_text_reveals_a_changed_function():
    before, moved = mutants_of("f.py", FUNCTION), mutants_of("f.py", f"import os\n\n\n{FUNCTION}")
    changed = mutants_of("f.py", FUNCTION.replace("3", "4"))
    assert [(mutant.key, mutant.text) for mutant in before] == [(mutant.key, mutant.text) for mutant in moved]
    assert [mutant.key for mutant in before] == [mutant.key for mutant in changed]
    assert not {mutant.text for mutant in before} & {mutant.text for mutant in changed}


def test_the_choice_of_mutants_is_reproducible_and_operators_take_turns():
    mutants = mutants_of("f.py", FUNCTION)
    operators = {mutant.operator for mutant in mutants}
    choice = draw(mutants, len(operators), seed=1)
    assert {mutant.operator for mutant in choice} == operators
    assert choice == draw(mutants[::-1], len(operators), seed=1)


def test_a_comparison_fails_if_a_mutant_is_missing_or_no_longer_killed(tmp_path, capsys):
    files = [tmp_path / name for name in ("before", "after")]

    def results(*outcomes):
        lines = [
            {"key": str(key), "name": f"mutant {key}", "group": "money", "text": "t", "by": "test", "outcome": outcome}
            for key, outcome in enumerate(outcomes)
        ]
        return "".join(json.dumps(line | {"asked": 1, "reaching": 1}) + "\n" for line in lines)

    files[0].write_text(results("killed", "survived", "time-out"))
    for outcomes, code in (("killed", "killed", "killed"), 0), (("killed", "killed", "survived"), 1), (("killed",), 1):
        files[1].write_text(results(*outcomes))
        assert compare_results(*files) == code
        assert ("mutant 2" in capsys.readouterr().out) == (code == 1)


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    copy = Copy(os.environ | {"ECONEVALS_DATA_DIR": str(tmp_path_factory.mktemp("data"))})
    yield copy
    copy.close()


STUDENT = "tests/stats/test_intervals_and_ranks.py::test_unbounded_values_have_the_interval_of_students_t"

BOOTSTRAP = "return bca(x) if n >= BCA_FROM else None"
"""A line that this test does not reach."""


@pytest.mark.long
def test_coverage_states_the_tests_that_reach_a_line_and_the_branches_taken(tmp_path):
    assert run(tmp_path, [STUDENT]) == 0
    lines = (ROOT / "stats/intervals.py").read_text().splitlines()
    student, bootstrap = (
        lines.index(line) + 1 for line in ("    from scipy.special import stdtrit", f"        {BOOTSTRAP}")
    )
    assert Reach(tmp_path).tests("stats/intervals.py", (student, student)) == [STUDENT]
    assert Reach(tmp_path).tests("stats/intervals.py", (bootstrap, bootstrap)) == []
    _, statements, reached, branches, taken = next(row for row in table(tmp_path) if "| stats |" in row).split("|")[
        1:-1
    ]
    assert int(statements) > int(branches) > 0
    assert 0 < float(taken.strip(" %")) < float(reached.strip(" %")) < 100


def asked(copy, before, after):
    file = "stats/intervals.py"
    source = (ROOT / file).read_text()
    assert before in source
    return copy.ask(file=file, source=source.replace(before, after), tests=[STUDENT], seconds=5)


@pytest.mark.long
def test_a_mutant_is_killed_survives_or_times_out(copy):
    killed = asked(copy, "float(stdtrit(n - 1,", "float(stdtrit(n + 1,")
    assert (killed["ended"], killed["failed"]) == ("killed", STUDENT) and "Mismatched" in killed["said"]
    survived = asked(copy, BOOTSTRAP, "return bca(x)")
    assert (survived["ended"], survived["failed"], survived["asked"]) == ("survived", "", 1)
    endless = asked(copy, "    at_bound = ", "    while n:\n        pass\n    at_bound = ")
    assert (endless["ended"], endless["failed"]) == ("time-out", STUDENT)
    broken = asked(copy, "LEVEL = 0.05", "LEVEL = missing")
    assert broken["ended"] == "import" and "missing" in broken["said"]
    assert asked(copy, "LEVEL", "LEVEL")["ended"] == "survived"
