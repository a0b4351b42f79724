"""The subject of a comment, a tag or a star: an experiment, a run, or a period of a run."""

from dataclasses import dataclass
from typing import Any

from django.urls import reverse

from runs.models import Experiment, Run


@dataclass(frozen=True)
class Subject:
    """A subject. `period` is the index of a period of the run; None for a whole run or an experiment."""

    target: Experiment | Run
    period: int | None = None

    tags_url = property(lambda self: self._reverse("-tags"))
    untag_url = property(lambda self: self._reverse("-untag"))
    star_url = property(lambda self: self._reverse("-star"))
    comments_url = property(lambda self: self._reverse("-comments"))

    @property
    def kind(self) -> str:
        """The prefix of the subject's URL names: 'experiment', 'run' or 'period'."""
        if isinstance(self.target, Experiment):
            return "experiment"
        return "run" if self.period is None else "period"

    @property
    def fields(self) -> dict[str, Any]:
        """The values of the columns that name this subject in a row of workspace.discussion.models."""
        if isinstance(self.target, Experiment):
            return {"experiment": self.target}
        return {"run": self.target, "period_index": self.period}

    @property
    def slug(self) -> str:
        """The subject's id on a page: 'run-12', 'period-12-3'."""
        return "-".join([self.kind, *map(str, self._arguments)])

    @property
    def label(self) -> str:
        """The subject in words: 'run 12', 'period 3 of run 12', or the name of an experiment."""
        if isinstance(self.target, Experiment):
            return self.target.name
        run = f"run {self.target.pk}"
        return run if self.period is None else f"period {self.period} of {run}"

    @property
    def url(self) -> str:
        return reverse(f"dashboard:{self.kind}", args=self._arguments)

    @property
    def discussion_url(self) -> str:
        """The address of the page with the subject's comments. Each comment is a fragment of it."""
        return f"{self.url}?tab=comments" if self.kind == "period" else self.url

    def _reverse(self, suffix: str) -> str:
        return reverse(f"discussion:{self.kind}{suffix}", args=self._arguments)

    @property
    def _arguments(self) -> list[int]:
        return [self.target.pk] if self.period is None else [self.target.pk, self.period]
