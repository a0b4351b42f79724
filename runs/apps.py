from __future__ import annotations

from typing import Any

from django.apps import AppConfig


class RunsConfig(AppConfig):
    name = "runs"

    def ready(self) -> None:
        from accounts import hooks

        hooks.organization_created.append(install_catalog)
        hooks.organization_deleting.append(empty)


# The services import the engine, which not every command needs, so they are imported on use.
def install_catalog(organization: Any) -> None:
    from runs.services import catalog_install

    catalog_install(organization=organization)


def empty(organization: Any) -> None:
    from runs.services import organization_empty

    organization_empty(organization=organization)
