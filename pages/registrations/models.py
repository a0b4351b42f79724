from typing import Any, NoReturn

from django.conf import settings
from django.db import models
from django.utils import timezone

from accounts.models import Organization
from runs.models import Experiment

IMMUTABLE = "A registration is never changed or deleted."


class ImmutableRows(models.QuerySet["Registration"]):
    """Rows that are only created and read."""

    def update(self, **values: Any) -> NoReturn:
        raise TypeError(IMMUTABLE)

    def delete(self) -> NoReturn:
        raise TypeError(IMMUTABLE)


class Registration(models.Model):
    """The file of a study, stored before its first run. It is never changed, and deleted only with its organization.

    text: the file; sha256: of its bytes in UTF-8; planned: the number of its launches
    versions: what held at that time: {"code", "prompts": {"ENVIRONMENT VARIANT": version}, "agents": {slug: settings}}
    """

    organization = models.ForeignKey(Organization, models.CASCADE, related_name="registrations")
    title = models.CharField(max_length=200)
    text = models.TextField()
    sha256 = models.CharField(max_length=64)
    planned = models.PositiveSmallIntegerField()
    versions = models.JSONField()
    registered_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    registered_at = models.DateTimeField(default=timezone.now)

    objects = ImmutableRows.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["organization", "sha256"], name="one_registration_per_file"),
        ]

    def __str__(self) -> str:
        return self.title

    def save(self, **options: Any) -> None:
        if not self._state.adding:
            raise TypeError(IMMUTABLE)
        super().save(**options)

    def delete(self, using: Any = None, keep_parents: bool = False) -> NoReturn:
        raise TypeError(IMMUTABLE)


class RegisteredLaunch(models.Model):
    """A launch of a registration that was made. The row is written in the transaction that creates the experiment.

    number: of the launch in the file, counted from 1
    experiment: None after the experiment was removed for good; the launch is not made again
    """

    registration = models.ForeignKey(Registration, models.CASCADE, related_name="launches")
    number = models.PositiveSmallIntegerField()
    experiment = models.OneToOneField(Experiment, models.SET_NULL, null=True, related_name="registered")
    launched_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["number"]
        constraints = [
            models.UniqueConstraint(fields=["registration", "number"], name="each_registered_launch_once"),
        ]
