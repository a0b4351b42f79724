"""Models: agents, instances, designs, own prompts, experiments with their runs, records of what happened in a run,
and budgets.
"""

from runs.models.agents import Agent, PlayerClass
from runs.models.batches import BatchState, SurveyBatch
from runs.models.designs import Design
from runs.models.experiments import Experiment, Priority
from runs.models.instances import Instance
from runs.models.job_calls import JobCall
from runs.models.money import BudgetAlert, Budgeted, MonthlySpend
from runs.models.prompts import PromptVariant
from runs.models.proofs import Proof, ProofState
from runs.models.records import Exchange, ExchangeState, Note, Period
from runs.models.runs import PauseCause, Run, RunState

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
    "SurveyBatch",
]
