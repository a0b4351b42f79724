from django.db import models

from accounts.models import Organization
from environments.registry import RULES_BY_KEY
from runs.models import Run


class RunFindings(models.Model):
    """Whether the findings of a run are computed, being computed or failed.

    rules_version: version of the rules that gave the stored findings, 0 before the first computation
    claimed_until: end of the claim of the worker that computes them; after it another worker may start again
    tries: number of workers that began the computation since it was last completed
    error: why there are no findings; empty if nothing went wrong
    inapplicable: keys of the rules that do not apply to the run, separated by spaces
    changes: the largest changes of the run in the form of `Change`, the largest first
    """

    run = models.OneToOneField(Run, models.CASCADE, primary_key=True, related_name="findings_computed")
    rules_version = models.PositiveIntegerField(default=0)
    claimed_until = models.DateTimeField(null=True)
    tries = models.PositiveSmallIntegerField(default=0, db_default=0)
    computed_at = models.DateTimeField(null=True)
    error = models.TextField(blank=True, default="")
    inapplicable = models.TextField(blank=True, default="", db_default="")
    changes = models.JSONField(default=list, db_default=[])


def title_of(rule: str) -> str:
    """The title of a rule. If this version no longer has the rule, a title made of its key."""
    return RULES_BY_KEY[rule].title if rule in RULES_BY_KEY else rule.replace("_", " ").capitalize()


class Finding(models.Model):
    """One sentence about a run, as in `environments.findings.Finding`. Ids follow the order of the rules."""

    organization = models.ForeignKey(Organization, models.CASCADE, related_name="findings")
    run = models.ForeignKey(Run, models.CASCADE, related_name="findings")
    rule = models.CharField(max_length=40)
    period = models.PositiveSmallIntegerField(null=True)
    seat = models.CharField(max_length=10, blank=True, default="")
    value = models.FloatField(null=True)
    sentence = models.TextField()

    class Meta:
        ordering = ["id"]
        indexes = [models.Index(fields=["organization", "rule", "run"], name="finding_by_rule")]

    @property
    def title(self) -> str:
        return title_of(self.rule)

    @property
    def is_problem(self) -> bool:
        return self.rule in RULES_BY_KEY and RULES_BY_KEY[self.rule].is_problem

    @property
    def quotes_notes(self) -> bool:
        return self.rule in RULES_BY_KEY and RULES_BY_KEY[self.rule].quotes_notes
