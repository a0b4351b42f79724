"""What a study file may say, and the sentence for each error."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pages.registrations.file import MOST_BYTES, STUDY_EXAMPLE, read_study, sha256_of
from runs.launching.plan import LaunchError
from tests.pages.registrations.conftest import STUDY

STAGED = STUDY.replace("periods: 3", "periods: 3, stages: [4, 6]").replace("questions:", "questions:\n  - ASKED")


def errors_of(text):
    with pytest.raises(LaunchError) as refused:
        read_study(text.encode() if isinstance(text, str) else text)
    return refused.value.errors


def test_the_example_is_a_study_whose_hash_is_that_of_its_bytes():
    file = read_study(STUDY_EXAMPLE.encode())
    assert file.sha256 == sha256_of(STUDY_EXAMPLE.encode()) and len(file.study.questions) == 2


@pytest.mark.parametrize(
    ("old", "new", "path", "sentence"),
    [
        ("kind: compare", "kind: guess", "questions.0.kind", "This must be 'compare', 'mean' or 'stages'."),
        ("[random, pricing-constant]\n", "[random]\n", "questions.0.agents", "exactly two different agents"),
        ("instances: 6\n", "\n", "questions.0.instances", "at which playing stops"),
        ("second-higher", "upwards", "questions.0.direction", "two-sided"),
        ("name: level", "name: constant beats random", "questions.1.name", "Another question"),
        ("authors: [Ada]", "authors: Ada", "authors", "This must be a list."),
        ("periods: 3", "periods: x", "launches.0.periods", "This must be a whole number."),
        ("launches:", "lunches:", "lunches", "There is no such field."),
        ("title: Does", "title: ''\n# Does", "title", "This must not be empty."),
    ],
)
def test_an_error_names_its_path_and_says_what_is_wrong(old, new, path, sentence):
    errors = errors_of(STUDY.replace(old, new, 1))
    assert sentence in errors[path] and errors[path].startswith(f"{path}: ")


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"a: &x [1]\nb: *x", "aliases are not read"),
        (b"[" * 50, "nested too deep"),
        (b"title: a\ntitle: b", "a field is there twice"),
        (b"\xff\xfe", "not text in UTF-8"),
        (b"- 1", "no fields"),
        (b"!!python/object/apply:os.system [ls]", "could not determine a constructor"),
        (b"a" * (MOST_BYTES + 1), "more than 64,000 bytes"),
    ],
)
def test_a_hostile_file_is_refused_with_a_sentence(content, sentence):
    assert sentence in errors_of(content)["file"]


@given(st.binary(max_size=200) | st.text(max_size=200).map(str.encode))
def test_any_bytes_are_a_study_or_refused(content):
    with pytest.raises(LaunchError):
        read_study(content)


def test_stages_cannot_be_adjusted_with_other_tests_and_name_a_launch_with_stages():
    asked = STAGED.replace("ASKED", "{name: s, kind: stages, launch: 1}")
    assert "no p value that Holm's method could adjust" in errors_of(asked)["correction"]
    unadjusted = asked.replace("launches:", "correction: none\nlaunches:")
    assert read_study(unadjusted.encode()).study.questions[0].launch == 1
    assert "no stages" in errors_of(unadjusted.replace(", stages: [4, 6]", ""))["questions.0.launch"]
    assert (
        "takes this from its launch"
        in errors_of(unadjusted.replace("launch: 1", "launch: 1, agents: [random]"))["questions.0.agents"]
    )
