"""Sentences for pages about an optimum that is not proven."""

from django.db.models import Count
from django.utils import timezone

from environments.registry import ATTEMPTS, is_final
from infrastructure.text.formats import counted, duration
from runs.models import Experiment, Instance, Proof, ProofState, Run
from runs.models.proofs import UNSCORED


def proof_of(instance: Instance) -> Proof | None:
    """The search for a proof of an instance. None if there was no search. Makes no query if there cannot be one."""
    may_have_one = instance.environment in ATTEMPTS and instance.reference
    return Proof.objects.filter(instance=instance).first() if may_have_one else None


def proof_note(run: Run) -> str:
    """Why a run has no score, or will have none at its end. Empty if it has a score or if the reason is not known yet."""
    instance = run.instance
    if run.score is not None or (not run.is_finished and is_final(instance.environment, instance.reference)):
        return ""
    proof = proof_of(instance)
    return proof_sentence(proof) if proof else ""


def proof_sentence(proof: Proof) -> str:
    """Why runs on the instance have no score, and the next step. Empty if all runs are scored."""
    if proof.state == ProofState.SEARCHING:
        goes_on = proof.claim_until is not None and proof.claim_until > timezone.now()
        begins = "is being made" if goes_on else "begins when a worker is free"
        return (
            "The optimum of this instance is not proven yet, so its runs have no score yet. "
            f"{_ended(proof)} without a proof. The next one {begins} and may take {duration(proof.limit)} of a processor."
        )
    if proof.state == ProofState.SCORING:
        return "The optimum of this instance is proven, and the runs from before the proof are being scored."
    if proof.state == ProofState.PROVEN:
        return proof.problem
    last = duration(ATTEMPTS[proof.instance.environment].limit_after(proof.attempts - 1))
    why = proof.problem or f"The last attempt ended after {last} of a processor."
    return (
        "The optimum of this instance is not proven, so its runs have no score. "
        f"{_ended(proof)} without a proof, and the search was given up. {why}"
    )


def _ended(proof: Proof) -> str:
    return counted(proof.attempts, "attempt ended,attempts ended")


def unproven(experiment: Experiment) -> list[Proof]:
    """The proofs for which finished runs of an experiment wait, each with the number of these runs in `runs`. One query."""
    rows = Proof.objects.filter(UNSCORED, instance__runs__experiment=experiment).select_related("instance")
    light = rows.defer(*(f"instance__{name}" for name in ("parameters", "hidden", "reference", "settings")))
    return list(light.annotate(runs=Count("instance__runs")).order_by("instance_id"))


def next_words(proof: Proof) -> str:
    """The next step in words: '1 attempt, the next of up to 8 min', 'given up after 4 attempts', 'being scored'."""
    if proof.state in (ProofState.SCORING, ProofState.PROVEN):
        return "being scored"
    attempts = counted(proof.attempts, "attempt,attempts")
    if proof.state == ProofState.GIVEN_UP:
        return f"given up after {attempts}"
    return f"{attempts}, the next of up to {duration(proof.limit)} of a processor"
