"""Write operations, keyword-only and named entity_verb. Only these and the engine write."""

from runs.services.agents import agent_archive, agent_create, agent_unarchive, agent_update
from runs.services.budgets import (
    experiment_set_budget,
    member_set_budget,
    organization_set_budget,
    run_set_budget,
)
from runs.services.catalog import catalog_install
from runs.services.connection_tests import agent_test_connection
from runs.services.control import endpoint_control, runs_control
from runs.services.deletions import (
    agent_delete,
    agent_undelete,
    experiment_delete,
    experiment_undelete,
    organization_empty,
)
from runs.services.designs import design_archive, design_change, design_create, design_delete
from runs.services.endpoints import endpoint_set_limits
from runs.services.experiments import experiment_launch, experiment_rename, experiment_set_pace
from runs.services.job_calls import job_call_reserve, job_call_settle, job_calls_close
from runs.services.prompts import prompt_archive, prompt_change, prompt_create, prompt_delete
from runs.services.stages import stage_resume, stages_cancel

__all__ = [
    "agent_archive",
    "agent_create",
    "agent_delete",
    "agent_test_connection",
    "agent_unarchive",
    "agent_undelete",
    "agent_update",
    "catalog_install",
    "job_call_reserve",
    "job_call_settle",
    "job_calls_close",
    "design_archive",
    "design_change",
    "design_create",
    "design_delete",
    "endpoint_control",
    "endpoint_set_limits",
    "experiment_delete",
    "experiment_launch",
    "experiment_rename",
    "experiment_set_budget",
    "experiment_set_pace",
    "experiment_undelete",
    "member_set_budget",
    "organization_empty",
    "organization_set_budget",
    "prompt_archive",
    "prompt_change",
    "prompt_create",
    "prompt_delete",
    "run_set_budget",
    "runs_control",
    "stage_resume",
    "stages_cancel",
]
