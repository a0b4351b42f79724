from __future__ import annotations

from typing import Any

from django.apps import AppConfig


class RunsConfig(AppConfig):
    name = "runs"

    def ready(self) -> None:
        from accounts import hooks

        hooks.organization_created.append(install_catalog)
        hooks.organization_deleting.append(empty)
        hooks.member_removed.append(drop_uploads)
        hooks.secrets_rotating.append(reseal)


# The services are imported when they are needed: they bring the engine along, which not every command does.
def install_catalog(organization: Any) -> None:
    from runs.services import catalog_install

    catalog_install(organization=organization)


def empty(organization: Any) -> None:
    from runs.services import organization_empty

    organization_empty(organization=organization)


def drop_uploads(organization: Any, user: Any) -> None:
    from runs.services.import_uploads import uploads_drop

    uploads_drop(organization=organization, user=user)


def reseal(rotation: Any) -> None:
    from runs.webhooks.rotation import webhooks_reseal

    webhooks_reseal(rotation)
