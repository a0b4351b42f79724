from django.db import models
from django.utils import timezone

from accounts.models import Organization, Role, User


class Scope(models.TextChoices):
    READ = "read", "Read"
    LAUNCH = "launch", "Launch"
    MANAGE = "manage", "Manage"
    PLAY = "play", "Play"


SCOPE_WORDS = {
    Scope.READ: "look at experiments, runs, notes, transcripts, leaderboards; export",
    Scope.LAUNCH: "launch experiments; pause, resume, cancel, retry, rename; set their budgets",
    Scope.MANAGE: "add agents and change their prices; delete experiments",
    Scope.PLAY: "open episodes for outside agents and people, and enter seasons",
}


class ApiToken(models.Model):
    """A token of the API; only its hash is stored.

    A personal token has a `user`. Within its scopes, it may do what that person's membership allows at the time of the
    request. A service token belongs to the organization and has a `role` instead. It is revoked when the owner who
    created it stops being an owner, since that person has seen it.
    """

    organization = models.ForeignKey(Organization, models.CASCADE, related_name="api_tokens")
    user = models.ForeignKey(User, models.CASCADE, null=True, related_name="api_tokens")
    role = models.CharField(max_length=10, choices=Role, blank=True)
    name = models.CharField(max_length=100)
    scopes = models.JSONField()
    token_hash = models.CharField(max_length=64, unique=True, editable=False)
    last_four = models.CharField(max_length=4, editable=False)
    created_by = models.ForeignKey(User, models.SET_NULL, null=True, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField()
    revoked_at = models.DateTimeField(null=True)
    last_used_at = models.DateTimeField(null=True)

    class Meta:
        indexes = [models.Index(fields=["organization", "user"], name="tokens_by_owner")]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(user=None) ^ models.Q(role=""), name="token_of_a_person_or_with_a_role"
            )
        ]

    def __str__(self) -> str:
        return f"{self.name} (…{self.last_four})"

    @staticmethod
    def alive_now() -> models.Q:
        return models.Q(revoked_at=None, expires_at__gt=timezone.now())

    @property
    def is_expired(self) -> bool:
        return self.expires_at <= timezone.now()

    @property
    def scope_labels(self) -> str:
        return ", ".join(Scope(scope).label.lower() for scope in Scope.values if scope in self.scopes)


class KeptAnswer(models.Model):
    """The answer to a request with an Idempotency-Key. It is written in the transaction that creates the object."""

    organization = models.ForeignKey(Organization, models.CASCADE, related_name="+")
    key = models.CharField(max_length=200)
    request_hash = models.CharField(max_length=64)
    status = models.PositiveSmallIntegerField(default=0)
    body = models.TextField(blank=True)
    created_at = models.DateTimeField(auto_now_add=True, db_index=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["organization", "key"], name="one_answer_per_key")]
