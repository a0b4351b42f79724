"""What differs from the registration, in sentences. Pure functions over the evidence."""

from collections.abc import Iterator

from infrastructure.text.formats import counted
from pages.registrations.evidence.answering import Answer
from pages.registrations.evidence.records import Evidence, EvidenceRun

FEW = 5


def deviations_of(evidence: Evidence, answers: list[Answer]) -> list[str]:
    """Every deviation in a sentence. An empty list says that all was done as registered."""
    return [*_of_launches(evidence), *_of_runs(evidence), *_of_answers(answers)]


def _of_launches(evidence: Evidence) -> Iterator[str]:
    for launch in evidence.launches:
        if not launch.launched_at:
            yield f"Launch {launch.number} was not made."
        elif launch.is_deleted or launch.experiment is None:
            yield f"The experiment of launch {launch.number} was deleted. Its runs are not in the evidence."
        if launch.broken_stages:
            yield f"The stages of launch {launch.number} were {launch.broken_stages}, so their error is not 5 %."
    if evidence.others:
        number = counted(len(evidence.others), "other experiment,other experiments")
        yield (
            f"While it was played, {number} used registered agents on registered instances "
            f"({_few([f'number {other}' for other in evidence.others])}). Their runs are no evidence."
        )


def _of_runs(evidence: Evidence) -> Iterator[str]:
    prompts, code = evidence.versions["prompts"], evidence.versions["code"]
    for launch in evidence.launches:
        runs = [run for run in evidence.runs if run.launch == launch.number]
        of_launch = f"of {counted(len(runs), 'run,runs')} of launch {launch.number}"
        missing = [run for run in runs if run.score is None and not run.not_played]
        if missing:
            yield f"{len(missing)} {of_launch} {'has' if len(missing) == 1 else 'have'} no score: {_few(_states(missing))}."
        changed = [run for run in runs if run.prompt_version != prompts.get(f"{run.environment} {run.variant}")]
        if changed:
            yield f"{len(changed)} {of_launch} had other prompts than registered."
        others = sorted({run.code_version for run in runs} - {code})
        if others:
            yield f"Launch {launch.number} was made by code {_few(others)}. The registration was made by code {code}."
        agents = sorted({run.agent for run in runs if run.agent_changed})
        if agents:
            yield f"In launch {launch.number} these agents had other settings than registered: {_few(agents)}."


def _states(runs: list[EvidenceRun]) -> list[str]:
    return [f"run {run.run} ({run.state})" for run in runs]


def _of_answers(answers: list[Answer]) -> Iterator[str]:
    for answer in answers:
        if answer.kind != "stages" and answer.instances != answer.planned:
            yield (
                f"The question “{answer.question}” has {answer.instances} of {answer.planned} registered instances in "
                f"{answer.cells}."
            )


def _few(texts: list[str]) -> str:
    more = f" and {len(texts) - FEW} more" if len(texts) > FEW else ""
    return f"{', '.join(texts[:FEW])}{more}"
