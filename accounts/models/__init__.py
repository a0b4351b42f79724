from typing import Any

from django.contrib.auth.models import AbstractUser
from django.db import models
from django.utils import timezone
from django.utils.crypto import salted_hmac

from accounts.email_addresses import AddressField
from accounts.models.actions import Action as Action


class User(AbstractUser):
    """A person. Memberships connect them to organizations."""

    email = AddressField(unique=True)
    session_epoch = models.PositiveIntegerField(default=0, db_default=0, editable=False)
    """A counter. Increasing it ends every session of the person at once."""

    first_steps_done = models.BooleanField(default=False, db_default=False, editable=False)
    has_opened_run = models.BooleanField(default=False, db_default=False, editable=False)
    """Whether the person has dismissed the first steps on the home page, and has taken the first of them."""

    is_operator = models.BooleanField(default=False, db_default=False, editable=False)
    """Whether the person opens, closes and reveals seasons of the whole site. Only a command on the server sets it."""

    home_seen_at = models.DateTimeField(null=True, editable=False)
    home_seen_before = models.DateTimeField(null=True, editable=False)
    """Times of the last two visits to the home page. What ended after `home_seen_before` is new to the person."""

    @property
    def initials(self) -> str:
        return "".join(name[0] for name in self.shown_name.replace(".", " ").split()[:2]).upper()

    @property
    def shown_name(self) -> str:
        return self.get_full_name() or self.username

    def _get_session_auth_hash(self, secret: str | None = None) -> str:
        """Hash the password and `session_epoch`. In epoch 0 the hash is Django's own, so an upgrade ends no session."""
        value = f"{self.password}|{self.session_epoch}" if self.session_epoch else self.password
        salt = "django.contrib.auth.models.AbstractBaseUser.get_session_auth_hash"
        return salted_hmac(salt, value, secret=secret, algorithm="sha256").hexdigest()


class Organization(models.Model):
    """The tenant: every experiment, run, agent and key belongs to exactly one organization."""

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

    @property
    def may_manage(self) -> bool:
        """Whether the member may manage members, invitations, settings and the audit log."""
        return self.role == Role.OWNER


class Invitation(models.Model):
    """A link that makes one person a member. Only the hash of its token is stored."""

    organization = models.ForeignKey(Organization, models.CASCADE, related_name="invitations")
    email = AddressField()
    role = models.CharField(max_length=10, choices=Role)
    token_hash = models.CharField(max_length=64, unique=True, editable=False)
    invited_by = models.ForeignKey(User, models.SET_NULL, null=True, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField()
    accepted_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)
    mailed = models.BooleanField(default=False, db_default=False)
    """Whether the link was only mailed and never shown on a page. If so, following it proves the address."""

    class Meta:
        indexes = [models.Index(fields=["organization", "email"], name="invitation_by_email")]

    @staticmethod
    def open_now() -> models.Q:
        return models.Q(accepted_at=None, revoked_at=None, expires_at__gt=timezone.now())

    @property
    def is_expired(self) -> bool:
        return self.expires_at <= timezone.now()


class AuditEntry(models.Model):
    """An entry of the audit log, written by services in the transaction of the action. Network addresses are not stored."""

    organization = models.ForeignKey(Organization, models.CASCADE, related_name="audit_entries")
    actor = models.ForeignKey(User, models.SET_NULL, null=True, related_name="+")
    actor_name = models.CharField(max_length=200, blank=True)
    action = models.CharField(max_length=40)
    subject = models.CharField(max_length=300)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        indexes = [models.Index(fields=["organization", "-id"], name="audit_newest_first")]

    @property
    def deed(self) -> str:
        """The label of the action. An unknown action, stored by a later version, is shown as stored."""
        return Action(self.action).label if self.action in Action.values else self.action

    def save(self, *args: Any, **options: Any) -> None:
        """Insert the entry. Raises TypeError if it is stored already, because entries are never changed."""
        if self.pk is not None:
            raise TypeError("An audit entry is never changed.")
        super().save(*args, **options)


class Notice(models.Model):
    """A mail that is not sent yet. `sealed` holds its content as encrypted JSON."""

    class Kind(models.TextChoices):
        MESSAGE = "message"
        PASSWORD_RESET = "password-reset"
        FAILED_LOG_INS = "failed-log-ins"

    kind = models.CharField(max_length=20, choices=Kind)
    recipient = AddressField(blank=True)
    sealed = models.TextField()
    attempts = models.PositiveIntegerField(default=0)
    created_at = models.DateTimeField(default=timezone.now)
    due_at = models.DateTimeField(default=timezone.now, db_index=True)


class Provider(models.TextChoices):
    ANTHROPIC = "anthropic", "Anthropic"
    OPENAI = "openai", "OpenAI"
    COMPATIBLE = "openai-compatible", "OpenAI-compatible"


class Endpoint(models.Model):
    """The address, key and extra headers for a provider. The limits apply to the key, across all workers."""

    organization = models.ForeignKey(Organization, models.CASCADE, related_name="endpoints")
    name = models.CharField(max_length=100)
    provider = models.CharField(max_length=20, choices=Provider)
    base_url = models.CharField(max_length=300, blank=True)
    sealed_key = models.BinaryField(default=b"", editable=False)
    key_last_four = models.CharField(max_length=4, blank=True, editable=False)
    key_variable = models.CharField(max_length=100, blank=True)
    sealed_headers = models.BinaryField(default=b"", db_default=b"", editable=False)
    header_names = models.JSONField(default=list, db_default=models.Value([], models.JSONField()), editable=False)
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

    @property
    def environment_variable(self) -> str:
        """Name of the environment variable that holds the key of this endpoint; "" if the endpoint may use none."""
        # The key belongs to the site and not to the organization, so it is sent to the provider's own address only.
        return self.key_variable if self.organization.allow_environment_keys and not self.base_url else ""
