"""Tags, stars, comments and mentions.

A row refers to a period by run and index, as in Note, because the period in which a run stopped has no row of its own.
If `period_index` is None, the row is about the whole run.
"""

from django.conf import settings
from django.db import models
from django.db.models import Q

from accounts.models import Organization
from runs.models.experiments import Experiment
from runs.models.runs import Run
from workspace.discussion.subjects import Subject

COLOURS = ("Blue", "Orange", "Green", "Purple", "Olive", "Teal")
"""Names of the CSS variables --data-1 to --data-6."""

ON_A_RUN, ON_A_PERIOD = Q(period_index=None), Q(period_index__isnull=False)


class Tag(models.Model):
    """A label for experiments, runs and periods. `key` is the case-folded name; `colour` counts from 1."""

    organization = models.ForeignKey(Organization, models.CASCADE, related_name="tags")
    name = models.CharField(max_length=40)
    key = models.CharField(max_length=120, editable=False)
    colour = models.PositiveSmallIntegerField(default=1)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        db_table = "runs_tag"
        constraints = [models.UniqueConstraint(fields=["organization", "key"], name="one_tag_per_name")]
        ordering = ["key"]

    def __str__(self) -> str:
        return self.name


class Tagging(models.Model):
    """A tag on an experiment, a run or a period."""

    tag = models.ForeignKey(Tag, models.CASCADE, related_name="taggings")
    experiment = models.ForeignKey(Experiment, models.CASCADE, null=True, related_name="taggings")
    run = models.ForeignKey(Run, models.CASCADE, null=True, related_name="taggings")
    period_index = models.PositiveSmallIntegerField(null=True)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        db_table = "runs_tagging"
        constraints = [
            models.CheckConstraint(
                condition=Q(experiment__isnull=False, run=None, period_index=None)
                | Q(experiment=None, run__isnull=False),
                name="tagging_of_one_thing",
            ),
            models.UniqueConstraint(
                fields=["experiment", "tag"], condition=Q(experiment__isnull=False), name="experiment_tagged_once"
            ),
            models.UniqueConstraint(
                fields=["run", "tag"], condition=Q(run__isnull=False) & ON_A_RUN, name="run_tagged_once"
            ),
            models.UniqueConstraint(
                fields=["run", "period_index", "tag"], condition=ON_A_PERIOD, name="period_tagged_once"
            ),
        ]


class Star(models.Model):
    """A bookmark of one person for a run or a period. Nobody else sees it."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="stars")
    run = models.ForeignKey(Run, models.CASCADE, related_name="stars")
    period_index = models.PositiveSmallIntegerField(null=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        db_table = "runs_star"
        constraints = [
            models.UniqueConstraint(fields=["user", "run"], condition=ON_A_RUN, name="run_starred_once"),
            models.UniqueConstraint(
                fields=["user", "run", "period_index"], condition=ON_A_PERIOD, name="period_starred_once"
            ),
        ]


class Comment(models.Model):
    """A member's Markdown text about a run or a period. `author_name` is shown if the account was deleted.

    `mentioned` holds the user names of members mentioned with an @.
    """

    organization = models.ForeignKey(Organization, models.CASCADE, related_name="comments")
    run = models.ForeignKey(Run, models.CASCADE, related_name="comments")
    period_index = models.PositiveSmallIntegerField(null=True)
    author = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    author_name = models.CharField(max_length=320)
    text = models.TextField()
    mentioned = models.JSONField(default=list)
    created_at = models.DateTimeField(auto_now_add=True)
    edited_at = models.DateTimeField(null=True)

    class Meta:
        db_table = "runs_comment"
        indexes = [models.Index(fields=["run", "period_index", "id"], name="comments_of_a_place")]

    @property
    def subject(self) -> Subject:
        return Subject(self.run, self.period_index)

    @property
    def shown_author(self) -> str:
        """The author's current name, or the name at the time of writing if the account was deleted."""
        return self.author.shown_name if self.author else self.author_name


class Mention(models.Model):
    """A mention of a member in a comment. `read_at` is set when the person opens the comment."""

    organization = models.ForeignKey(Organization, models.CASCADE, related_name="+")
    comment = models.ForeignKey(Comment, models.CASCADE, related_name="mentions")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="mentions")
    created_at = models.DateTimeField(auto_now_add=True)
    read_at = models.DateTimeField(null=True)

    class Meta:
        db_table = "runs_mention"
        constraints = [models.UniqueConstraint(fields=["comment", "user"], name="mentioned_once")]
        indexes = [models.Index(fields=["user", "organization"], condition=Q(read_at=None), name="unread_mentions")]
