"""The rows. `agents` and `instances` say who plays what, `experiments` and `runs` what is played, `records` what happened,
`money` what it may cost, `webhooks` who is told, `talk` what people say of it, `imports` what was played elsewhere."""

from runs.models.agents import Agent
from runs.models.experiments import Experiment
from runs.models.imports import ImportArchive, ImportedRun, ImportState, ImportUpload
from runs.models.instances import Instance
from runs.models.money import BudgetAlert, Budgeted, MonthlySpend
from runs.models.records import Exchange, ExchangeState, Note, Period
from runs.models.runs import PauseCause, Run, RunState
from runs.models.talk import Comment, Mention, Star, Tag, Tagging
from runs.models.webhooks import Delivery, DeliveryState, Event, EventKind, Webhook

__all__ = [
    "Agent",
    "BudgetAlert",
    "Budgeted",
    "Delivery",
    "DeliveryState",
    "Event",
    "EventKind",
    "Comment",
    "Exchange",
    "ExchangeState",
    "Experiment",
    "ImportArchive",
    "ImportState",
    "ImportUpload",
    "ImportedRun",
    "Instance",
    "Mention",
    "MonthlySpend",
    "Note",
    "PauseCause",
    "Period",
    "Run",
    "RunState",
    "Webhook",
    "Star",
    "Tag",
    "Tagging",
]
