from typing import ClassVar

from django.conf import settings
from django.db import models

from accounts.deletions import Deletable, KeptRows
from accounts.models import Organization
from environments.prompts.own import OwnPrompts
from environments.prompts.variants import OWN
from environments.registry import ENVIRONMENTS
from infrastructure.text.formats import counted
from runs.models.money import Budgeted


class Priority(models.IntegerChoices):
    """Among an organization's experiments, those with a higher priority are played first."""

    LOW = -1, "Low: after all others"
    NORMAL = 0, "Normal"
    HIGH = 1, "High: before all others"

    @property
    def word(self) -> str:
        """The priority as launches name it: 'low', 'normal' or 'high'."""
        return self.name.lower()


PRIORITIES = {priority.word: priority for priority in Priority}
MOST_RUNS_AT_ONCE = 10_000
RUNS_AT_ONCE_ERROR = (
    f"At least 1 and at most {MOST_RUNS_AT_ONCE:,} runs are played at once; leave it empty for no limit."
)


class KeptExperiments(KeptRows["Experiment"]):
    """Manager of experiments that are not deleted."""

    def without_games(self) -> models.QuerySet["Experiment"]:
        """Experiments that were launched or imported. The others collect games of people and of outside agents."""
        return self.get_queryset().filter(is_of_episodes=False)


class Experiment(Budgeted, Deletable):
    """A launch and its runs. `spec`: the plan, to launch it again; `estimate`: Estimate.as_json at launch, or None.

    runs_at_once: most of its runs that are played at the same time; None for no limit
    is_of_episodes: whether it collects episodes. If so, it was not launched, cannot be paused and costs nothing.
    """

    organization = models.ForeignKey(Organization, models.CASCADE, related_name="experiments")
    name = models.CharField(max_length=200)
    spec = models.JSONField()
    estimate = models.JSONField(null=True)
    priority = models.SmallIntegerField(choices=Priority, default=Priority.NORMAL, db_default=Priority.NORMAL)
    runs_at_once = models.PositiveSmallIntegerField(null=True, blank=True)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    # The keys of a player's practice, and of an entry in a season.
    is_of_episodes = models.GeneratedField(
        expression=models.ExpressionWrapper(
            models.Q(spec__has_key="practice") | models.Q(spec__has_key="season"), output_field=models.BooleanField()
        ),
        output_field=models.BooleanField(),
        db_persist=True,
    )

    objects: ClassVar[KeptExperiments] = KeptExperiments()

    class Meta:
        indexes = [
            models.Index(
                fields=["organization", "-created_at", "-id"],
                condition=models.Q(is_of_episodes=False),
                name="experiments_launched",
            )
        ]
        ordering = ["-created_at", "-id"]

    def __str__(self) -> str:
        return self.name

    @property
    def pace(self) -> str:
        """Priority and limit in words: 'Normal priority', 'High priority, at most 4 runs at once'."""
        limit = f", at most {counted(self.runs_at_once, 'run,runs')} at once" if self.runs_at_once else ""
        return f"{Priority(self.priority).word.capitalize()} priority{limit}"


class PromptVariant(models.Model):
    """The organization's own prompt variant of an environment. It cannot be changed while a run uses it.

    base: the built-in variant that it derives from
    texts: all texts by name, as in PromptSet.texts
    version: hash of the texts
    """

    organization = models.ForeignKey(Organization, models.CASCADE, related_name="prompts")
    environment = models.CharField(max_length=40)
    base = models.CharField(max_length=40)
    slug = models.CharField(max_length=30)
    name = models.CharField(max_length=100)
    texts = models.JSONField()
    version = models.CharField(max_length=12)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    archived_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["organization", "environment", "base", "slug"], name="one_prompt_per_slug")
        ]
        ordering = ["environment", "base", "slug"]

    def __str__(self) -> str:
        return self.name

    @property
    def variant(self) -> str:
        """The name of the variant in launches and filters, such as 'main+concise'."""
        return f"{self.base}{OWN}{self.slug}"

    @property
    def prompt_set(self) -> OwnPrompts:
        return OwnPrompts(ENVIRONMENTS[self.environment].prompt_set, self.texts)
