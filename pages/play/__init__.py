"""Games for people: the pages of a game, studies with links for participants, and the pages of seasons."""
