"""Two conditions of one agent: prompts, generators, difficulties, lengths, or agents of one model."""
