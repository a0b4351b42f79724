from typing import Any

from django.conf import settings

from runs.bootstrap import OWNER, ensure_organization, migrate_if_needed
from runs.management.launches import PlainCommand, fail


class Command(PlainCommand):
    help = "Create the first organization and its owner, and print the owner's password once."

    def handle(self, **options: Any) -> None:
        migrate_if_needed()
        organization, password = ensure_organization(allow_environment_keys=settings.EMBEDDED)
        if not password:
            fail(f"{organization.name} already has an owner. For a new password: bin/econevals reset_link {OWNER}")
        self.stdout.write(f"user      {OWNER}\npassword  {password}")
