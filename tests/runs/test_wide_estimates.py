"""Why the range of an estimate is wide, with known answers."""

from runs.estimating.dry import EstimatedRange
from runs.estimating.estimates import estimate
from runs.estimating.spread import Part, why_wide


def part(agent, low, high, earlier=0, has_effort=True, environment="pricing"):
    return Part(agent, environment, EstimatedRange(low, (low + high) / 2, high), earlier, has_effort)


def test_the_part_with_most_of_the_range_is_named_with_its_share_and_reasons():
    parts = [
        part("Small", 10, 30),
        part("Large", 10, 70, earlier=2, has_effort=False, environment="patience_vs_impatience"),
    ]
    assert why_wide(parts) == (
        "The range is wide: 75 % of it comes from Large in Patience, because it has only 2 earlier runs there, and its "
        "reasoning effort is the provider's default."
    )
    assert "because it has no earlier runs there." in why_wide([part("Small", 1, 9)])
    assert "because its 20 earlier runs there differ much." in why_wide([part("Small", 1, 9, earlier=20)])


def test_a_narrow_range_and_a_launch_without_cost_need_no_reason():
    assert why_wide([part("Small", 10, 29)]) == why_wide([part("Random", 0, 0)]) == ""


def test_a_launch_of_an_unknown_model_says_why_its_range_is_wide(organization, plan):
    wide = estimate(plan("gpt-5"), organization)
    assert "100 % of it comes from" in wide.why_wide and "no earlier runs there" in wide.why_wide
    assert wide.as_json()["why_wide"] == wide.why_wide
    assert estimate(plan("random"), organization).why_wide == ""
