"""The rows. `agents` and `instances` say who plays what, `experiments` and `runs` what is played, `records` what happened."""

from runs.models.agents import Agent
from runs.models.experiments import Experiment
from runs.models.instances import Instance
from runs.models.records import Exchange, ExchangeState, Note, Period
from runs.models.runs import Run, RunState

__all__ = [
    "Agent",
    "Exchange",
    "ExchangeState",
    "Experiment",
    "Instance",
    "Note",
    "Period",
    "Run",
    "RunState",
]
