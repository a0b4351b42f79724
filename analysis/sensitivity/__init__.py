"""How scores depend on the prompt, the number of periods and the seed."""
