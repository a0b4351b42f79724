"""Which models answered: new values are reported, and mixtures behind a router are compared by their shares."""

import pytest

from infrastructure.text.formats import whole_percent
from workspace.drift.facts import Answers, mixture_change, new_values, printable
from workspace.drift.models import NoticeKind

MODEL = NoticeKind.MODEL


def test_a_name_from_a_provider_is_printed_on_a_single_line():
    assert printable("a\x1b[2J\r\nb\u202e") == "a\ufffd[2J\ufffd\ufffdb\ufffd"


def answers(*of_instances, first=0):
    """Of each instance the calls by answering model; run numbers begin with `first`."""
    facts = {"model": {}}
    for place, calls in enumerate(of_instances, first):
        for value, number in calls.items():
            row = facts["model"].setdefault(value, {"runs": {}, "first": [place, 2]})
            row["runs"][str(place)] = number
    return Answers(facts, {str(place): place - first for place, _ in enumerate(of_instances, first)})


def mixture(share, first=0, instances=6):
    return answers(*({"a": round(100 * share), "b": 100 - round(100 * share)} for _ in range(instances)), first=first)


def test_a_value_missing_from_the_baseline_is_reported_with_its_first_call():
    baseline, new = [answers({"a": 9}, first=1), answers({"a": 8}, first=3)], answers({"a": 4, "b": 5}, first=5)
    sentence = "New answering model: b, first in run 5, period 2; the baseline has only a."
    assert new_values(MODEL, baseline, new, ()) == sentence
    assert new_values(MODEL, baseline, new, {"b"}) == "" and mixture_change(MODEL, baseline, new, 12) == ""


def test_unreported_values_give_no_notice():
    named, silent = answers({"a": 9}), answers({})
    for before, now in ((named, silent), (silent, named), (silent, silent)):
        assert new_values(MODEL, [before], now, ()) == mixture_change(MODEL, [before], now, 12) == ""


def test_many_new_values_are_summarised():
    new = answers(dict.fromkeys("bcdefg", 1))
    assert ", first in run 0, period 2 and 3 more; the baseline" in new_values(MODEL, [answers({"a": 1})], new, ())


@pytest.mark.parametrize("share", [0.5, 0.55, 0.45])
def test_a_router_with_an_unchanged_mixture_gives_no_notice(share):
    baseline = [mixture(0.4, first=10), mixture(0.6, first=20)]
    new = mixture(share)
    new.facts["model"]["rare"] = {"runs": {"0": 1}, "first": [0, 0]}
    assert new_values(MODEL, baseline, new, ()) == mixture_change(MODEL, baseline, new, 12) == ""


def test_a_router_that_switches_to_another_model_gives_a_notice():
    baseline, new = [mixture(0.72, first=10), mixture(0.68, first=20)], mixture(0.03)
    sentence = mixture_change(MODEL, baseline, new, 12)
    assert sentence == f"a answered {whole_percent(3, 100)} of the calls, in the baseline 70 % (p = 0.0014)."
