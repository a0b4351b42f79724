from typing import Any

from django.apps import AppConfig
from django.utils.module_loading import import_string


class RunsConfig(AppConfig):
    name = "runs"

    def ready(self) -> None:
        from accounts import hooks
        from runs import events
        from runs.proofs.claims import claims
        from runs.proofs.services import proofs_score

        hooks.organization_created.append(lambda organization: call("catalog.catalog_install", organization))
        hooks.organization_deleting.append(lambda organization: call("deletions.organization_empty", organization))
        events.leases_renewing.append(claims.renew)
        events.runs_stopped.append(proofs_score)
        events.sweeping_seldom.append(claims.sweep)


def call(service: str, organization: Any) -> None:
    # The services import the engine, which not every command needs, so they are imported on use.
    import_string(f"runs.services.{service}")(organization=organization)
