"""Measures set against each other: the papers' known answers, points by agent, model and maker, and the page."""

from datetime import date

import pytest

from accounts.models import Provider
from analysis.answers.generalizability import GeneralizabilityFilter, relation_of
from analysis.base.table import Kind
from analysis.generalizability.measures import Source, content, measures
from analysis.generalizability.players import Player, maker_of, published_players
from analysis.generalizability.relation import OWN, Side, sentences, series_of
from analysis.generalizability.selectors import READERS
from analysis.litmus.name_tests import p_of_shares
from runs.models import Agent
from tests.outside import column_of

SCHEDULING = {"BASIC": 0.59, "MEDIUM": 0.66, "HARD": 0.81}
"""R² with the length of preference lists, section 4.3.3 of the newest paper."""


def published(organization, **values):
    return relation_of(organization=organization, run_filter=GeneralizabilityFilter(**values)).series[1]


def test_the_printed_tables_give_the_papers_r_squared_of_preference_lists(organization):
    for level, r_squared in SCHEDULING.items():
        series = published(organization, x="longest_list", y=f"scheduling.{level}")
        assert (len(series.points), series.relation.line.r_squared) == (8, pytest.approx(r_squared, abs=0.005))
        assert series.relation.p < (0.01 if level == "HARD" else 0.05)


def test_table_3_gives_another_r_squared_of_reliability_than_section_6_2_prints(organization):
    series = published(organization)
    assert (len(series.points), series.relation.line.r_squared) == (16, pytest.approx(0.30, abs=0.005))
    assert series.relation.line.p == pytest.approx(0.028, abs=0.0005)


def test_the_printed_shares_of_variance_give_p_of_names_up_to_rounding():
    assert p_of_shares(0.979, 0.0031, models=6, names=36) == pytest.approx(0.685, abs=0.0005)
    ends = [p_of_shares(a, b, models=6, names=36) for a, b in ((0.9785, 0.00305), (0.9795, 0.00315))]
    assert ends[1] < 0.73 < ends[0]


def test_every_source_has_a_reader_and_every_pair_of_the_papers_its_measures():
    assert {measure.source for measure in measures().values()} == {*READERS} == {*Source} - {Source.OUTSIDE}
    assert {pair["x"] for pair in content()["pairs"]} <= {*measures()}
    assert {pair["y"] for pair in content()["pairs"]} <= {*measures(), "outside"}


def player(key, model, maker):
    return Player(key, f"Agent {key}", model, maker, Kind.OWN, None)


PLAYERS = {
    1: player(1, "a", "Acme"), 2: player(2, "a", "Acme"), 3: player(3, "b", "Acme"), 4: player(4, "c", "Bolt"),
    5: player(5, "d", ""),
}  # fmt: skip
X = Side({1: 1.0, 2: 3.0, 3: 10.0, 4: 5.0, 5: 7.0}, {})


def points(by, y):
    series = series_of(OWN, PLAYERS, X, y, by=by, bounded=True)
    return {point.name: (*point.x, *point.y) for point in series.points}, series.unknown


def test_a_model_is_the_mean_of_its_agents_and_a_maker_the_mean_of_its_models():
    y = Side({1: 0.0, 2: 2.0, 3: 4.0, 4: 6.0, 5: 8.0}, {})
    assert len(points("agent", y)[0]) == 5
    models, _ = points("model", y)
    assert models["Agent 1"] == (2.0, 2, 1.0, 2) and len(models) == 4
    assert points("maker", y) == ({"Acme": (6.0, 2, 2.5, 2), "Bolt": (5.0, 1, 6.0, 1)}, 1)


def test_each_axis_of_a_maker_is_over_the_models_that_have_the_measure_and_values_of_makers_come_first():
    assert points("maker", Side({3: 4.0}, {"Bolt": 9.0, "Nobody": 1.0}))[0] == {
        "Acme": (6.0, 2, 4.0, 1),
        "Bolt": (5.0, 1, 9.0, 1),
    }


def test_the_maker_of_a_model_is_that_of_the_catalog_else_that_of_its_provider():
    assert maker_of("claude-opus-4-5-20251101", Provider.COMPATIBLE) == "Anthropic"
    assert maker_of("openai/gpt-5-2025-08-07", Provider.COMPATIBLE) == "OpenAI"
    assert maker_of("gemini-2.5-pro", Provider.COMPATIBLE) == "Google"
    assert (maker_of("a-model", Provider.OPENAI), maker_of("a-model", Provider.COMPATIBLE)) == ("OpenAI", "")
    assert {each.maker for each in published_players().values()} == {"Anthropic", "Google", "OpenAI", "xAI"}


def test_sentences_name_no_cause_and_say_what_is_missing(organization):
    def read(**values):
        return sentences(relation_of(organization=organization, run_filter=GeneralizabilityFilter(**values)))

    lines = read(x="longest_list", y="scheduling.HARD")
    assert "r = 0.90" in lines[0] and "goes with a higher value" in lines[0] and "does not show a cause" in lines[-1]
    assert "at least 3 models with both measures; there are 2" in read(released_until=date(2024, 11, 1))[0]
    assert read(rows=(Kind.OWN,)) == ["No model has both measures under these filters."]
    assert "No sign of an association." in read(x="released", y="patience_vs_impatience.competency")[0]


def test_own_runs_are_set_against_an_outside_column_and_own_metrics(organization, run_row):
    for number, slug in enumerate(("a", "b", "c")):
        run_row(slug, 0.2 + 0.2 * number, name=slug.upper(), metrics={"adaptability": 0.1 * number})
        Agent.objects.filter(slug=slug).update(model=f"model-{slug}", release_date=date(2025, 1 + number, 1))
    column = column_of(organization, "name,Elsewhere\nA,1\nmodel-b,2\nC,4\n")
    for key, values in ((f"outside.{column.pk}", [1, 2, 4]), ("pricing.BASIC.adaptability", [0, 10, 20])):
        own = relation_of(
            organization=organization, run_filter=GeneralizabilityFilter(x=key, y="pricing.BASIC", rows=(Kind.OWN,))
        ).series[0]
        assert [(point.x.value, point.y.value) for point in own.points] == [
            (pytest.approx(x), pytest.approx(y)) for x, y in zip(values, (20, 40, 60), strict=True)
        ]


def test_appendix_l_sets_own_competency_against_the_distance_from_the_frontier(organization, run_row):
    test = "efficiency_vs_equality"
    for number, slug in enumerate(("a", "b", "c")):
        options = {"environment": test, "difficulty": "STANDARD", "periods": 30, "name": slug}
        run_row(slug, 0.5, metrics={"frontier_distance": 0.1 + 0.1 * number}, **options)
        for variant in ("efficiency", "equality"):
            run_row(slug, 0.9 - 0.1 * number, variant=variant, **options)
        Agent.objects.filter(slug=slug).update(model=slug)
    pair = next(pair for pair in content()["pairs"] if pair["section"] == "appendix L")
    run_filter = GeneralizabilityFilter(x=pair["x"], y=pair["y"])
    own = relation_of(organization=organization, run_filter=run_filter).series[0]
    assert own.relation.r == pytest.approx(-1)
    assert run_filter.reported.kind == "litmus", "the hidden runs are those of the litmus tests"


def test_the_page_has_the_papers_pairs_two_clicks_away_and_a_constant_number_of_queries(
    page, organization, django_assert_num_queries
):
    text = page.get("/generalizability/").text
    assert "0.30" in text and '<strong aria-current="true">Patience: reliability by release date' in text
    assert "to bring as CSV" in text, "figure 12 needs an outside column"
    assert "x=longest_list&amp;y=scheduling.HARD" in text
    column = column_of(organization)
    assert f"y=outside.{column.pk}&amp;by=maker" in page.get("/generalizability/").text
    figure = page.get("/generalizability/figure.json?x=longest_list&y=scheduling.HARD").json()
    assert "GPT-5" in str(figure["data"])
    assert "0.30" in page.get("/generalizability/?x=nonsense").text, "an unknown measure means the default"
    with django_assert_num_queries(18):
        page.get("/generalizability/?x=scheduling.HARD&y=pricing.HARD")
