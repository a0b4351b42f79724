"""What is run and what happened: experiments, runs, periods, and the engine that plays them.

Layer: above `agents` and `accounts`, below `analysis`. Writes go through services, reads through selectors.
"""
