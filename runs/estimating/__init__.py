"""What an estimate rests on: dry episodes, the history of the agents, prices."""
