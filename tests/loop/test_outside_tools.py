"""The tools of outside agents: those of the environment with full answers, and a history from any period."""

from dataclasses import replace

import pytest

from agents.tools import first_period, outside_tools
from environments.base import ToolError
from environments.registry import ENVIRONMENTS, built_in_variants, generate
from tests.environments.cast import SURVEYS, act, game


@pytest.mark.parametrize("name", list(ENVIRONMENTS))
def test_only_the_history_tool_has_an_extra_argument_and_tools_repeat_answers(name):
    for variant in built_in_variants(name):
        environment = game(name, variant=variant)
        for seat in environment.seats:
            usual, offered = environment.tools(seat), outside_tools(environment, seat)
            assert not any(tool.again for tool in offered)
            assert [tool.name for tool in offered] == [tool.name for tool in usual]
            changed = [tool for tool, other in zip(offered, usual, strict=True) if tool != replace(other, again="")]
            assert [tool.name for tool in changed] == ([] if name in SURVEYS else [environment.history_tool])
            for tool in changed:
                assert tool.input_schema["properties"]["from_period"]["type"] == "integer"
                assert "from_period" not in tool.input_schema.get("required", [])
        # The definitions of the papers' prompts stay as they are.
        assert "from_period" not in str(environment.tools())


@pytest.fixture
def environment():
    environment = ENVIRONMENTS["pricing"](generate("pricing", "BASIC", 0))
    for price in (20, 28, 24):
        act(environment, {"Product_1": price})
    return environment


@pytest.mark.parametrize(("given", "since"), [({}, 0), (0, 0), (2, 2), (2.0, 2), (" 2 ", 2)])
def test_the_first_period_of_a_history_comes_from_the_call(environment, given, since):
    assert first_period(environment, given if given == {} else {"from_period": given}) == since


@pytest.mark.parametrize("given", [3, -1, "3", "two", 1.5, True, None, [], float("inf"), 10**400, "9" * 50])
def test_a_period_without_data_is_refused_with_the_available_periods(environment, given):
    with pytest.raises(ToolError) as refused:
        first_period(environment, {"from_period": given})
    assert str(refused.value) == "from_period must be a whole number from 0 to 2."
