from __future__ import annotations

from typing import Any

from django.apps import AppConfig


class RunsConfig(AppConfig):
    name = "runs"

    def ready(self) -> None:
        from accounts import hooks

        hooks.organization_created.append(install_catalog)
        hooks.organization_deleting.append(empty)


# The services are imported when they are needed: they bring the engine along, which not every command does.
def install_catalog(organization: Any) -> None:
    from runs.services import catalog_install

    catalog_install(organization=organization)


def empty(organization: Any) -> None:
    from runs.services import organization_empty

    organization_empty(organization=organization)
