"""The rows. `agents` and `instances` say who plays what, `experiments` and `runs` what is played, `records` what happened,
`money` what it may cost."""

from runs.models.agents import Agent
from runs.models.experiments import Experiment
from runs.models.instances import Instance
from runs.models.money import BudgetAlert, Budgeted, MonthlySpend
from runs.models.records import Exchange, ExchangeState, Note, Period
from runs.models.runs import PauseCause, Run, RunState

__all__ = [
    "Agent",
    "BudgetAlert",
    "Budgeted",
    "Exchange",
    "ExchangeState",
    "Experiment",
    "Instance",
    "MonthlySpend",
    "Note",
    "PauseCause",
    "Period",
    "Run",
    "RunState",
]
