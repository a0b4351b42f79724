from __future__ import annotations

from django.contrib.auth.models import AbstractUser
from django.db import models


class User(AbstractUser):
    """A person. Which organizations they belong to is said by their memberships."""

    email = models.EmailField(unique=True)

    @property
    def initials(self) -> str:
        words = (self.get_full_name() or self.username).replace(".", " ").split()
        return "".join(word[0] for word in words[:2]).upper()


class Organization(models.Model):
    """The owner of every row: experiments, runs, agents and keys belong to exactly one."""

    name = models.CharField(max_length=100)
    slug = models.SlugField(unique=True)
    allow_environment_keys = models.BooleanField(default=False)
    monthly_budget_nano = models.BigIntegerField(null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.name


class Role(models.TextChoices):
    OWNER = "owner", "Owner"
    EDITOR = "editor", "Editor"
    VIEWER = "viewer", "Viewer"


class Membership(models.Model):
    organization = models.ForeignKey(Organization, models.CASCADE, related_name="memberships")
    user = models.ForeignKey(User, models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=10, choices=Role)
    monthly_budget_nano = models.BigIntegerField(null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["organization", "user"], name="one_membership_per_organization")]

    @property
    def may_edit(self) -> bool:
        return self.role in {Role.OWNER, Role.EDITOR}


class Provider(models.TextChoices):
    ANTHROPIC = "anthropic", "Anthropic"
    OPENAI = "openai", "OpenAI"
    COMPATIBLE = "openai-compatible", "OpenAI-compatible"


class Endpoint(models.Model):
    """Where a provider is reached and with which key. The key is stored encrypted and never shown again.

    The limits are the key's, shared by all workers; None is none known.
    """

    organization = models.ForeignKey(Organization, models.CASCADE, related_name="endpoints")
    name = models.CharField(max_length=100)
    provider = models.CharField(max_length=20, choices=Provider)
    base_url = models.CharField(max_length=300, blank=True)
    sealed_key = models.BinaryField(default=b"", editable=False)
    key_last_four = models.CharField(max_length=4, blank=True, editable=False)
    key_variable = models.CharField(max_length=100, blank=True)
    calls_at_once = models.PositiveIntegerField(null=True, blank=True)
    requests_per_minute = models.PositiveIntegerField(null=True, blank=True)
    tokens_per_minute = models.PositiveIntegerField(null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["organization", "name"], name="one_endpoint_per_name")]

    def __str__(self) -> str:
        return self.name

    @property
    def has_key(self) -> bool:
        return bool(self.sealed_key)
