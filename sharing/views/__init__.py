"""Views. `members` makes and revokes links, `visitors` answers their addresses, `content` builds the pages behind them."""
