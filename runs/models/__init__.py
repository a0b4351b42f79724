"""Models: agents, instances, designs, own prompts, experiments with their runs, records of runs, and budgets."""

from runs.models.agents import Agent, PlayerClass
from runs.models.experiments import Experiment, Priority, PromptVariant
from runs.models.instances import Design, Instance
from runs.models.money import BudgetAlert, Budgeted, MonthlySpend
from runs.models.proofs import Proof, ProofState
from runs.models.records import BatchState, Exchange, ExchangeState, JobCall, MetricSeries, Note, Period, SurveyBatch
from runs.models.runs import PauseCause, Run
from runs.models.states import RunState, ShownState, StateGroup

__all__ = [
    "Agent",
    "BatchState",
    "BudgetAlert",
    "Budgeted",
    "Design",
    "JobCall",
    "Exchange",
    "ExchangeState",
    "Experiment",
    "Priority",
    "Instance",
    "MetricSeries",
    "MonthlySpend",
    "Note",
    "PauseCause",
    "Period",
    "PlayerClass",
    "PromptVariant",
    "Proof",
    "ProofState",
    "Run",
    "RunState",
    "ShownState",
    "StateGroup",
    "SurveyBatch",
]
