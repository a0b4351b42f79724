from accounts.models import Action, AuditEntry, Organization, User


def audit_record(*, organization: Organization, actor: User | None, action: Action, subject: str) -> AuditEntry:
    """Add an entry in the caller's transaction, so that a rollback removes it. Never pass a secret."""
    return AuditEntry.objects.create(
        organization=organization,
        actor=actor,
        actor_name=actor.shown_name[:200] if actor else "",
        action=action,
        subject="".join(c if c.isprintable() else " " for c in subject)[:300],
    )
