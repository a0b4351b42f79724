"""Sentences about how a run's models were asked and which ones answered."""

from agents.providers.model_names import same_family
from runs.conditions import describe
from runs.models import Run


def conditions_words(run: Run) -> str:
    """The conditions in words: 'chat, tools forced, effort medium, gpt-6-2026-11-17'. Empty if nothing is recorded."""
    return describe(run.conditions_key)


def conditions_notes(run: Run) -> list[str]:
    """Notes for readers of the score: a dropped effort, another model that answered, a change during the run."""
    notes = []
    for seat, sent in run.conditions.items():
        owner = "Its" if run.rival_id in (None, run.agent_id) else f"The {run.agent_in(seat).name} agent's"
        model, answered = run.agent_in(seat).model, sent.get("model", "")
        if effort := sent.get("dropped_effort"):
            notes.append(
                f"{owner} replies show no thinking although effort {effort} was set, so the effort was probably dropped."
            )
        if not same_family(model, answered):
            notes.append(f"{answered[:100]} answered although {model} was asked.")
        if sent.get("changed"):
            notes.append(f"{owner} model was asked in several ways during the run, or several models answered.")
    return list(dict.fromkeys(notes))
