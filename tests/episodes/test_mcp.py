"""The MCP server for seats, asked by the official client in both eras of the protocol."""

import pytest

from tests.episodes.players import ERAS, McpPlayer

eras = pytest.mark.parametrize("mode", ERAS.values(), ids=ERAS)


@eras
def test_try(opened, mode):
    player = McpPlayer(opened()["token"], mode)
    tools = player.ask(lambda client: client.list_tools())
    print(tools)
    print(player.call("start_period"))
    print(player.call("get_product_ids"))
    print(player.act(0, {"Product_1": 5}))
    print(player.act(0, {"Product_1": 5}))
    print(player.act(1, {"Product_1": -5}))
    print(player.call("blah"))
    print(player.received)
    assert 0
