from typing import Any

from django.core.management.base import BaseCommand, CommandError

from accounts.models import Organization
from accounts.services.organizations import organization_allow_environment_keys


class Command(BaseCommand):
    help = (
        "Allow or forbid an organization to use OPENAI_API_KEY and ANTHROPIC_API_KEY of the site's environment if it has "
        "no key of its own. Without arguments, list the organizations that may use them."
    )

    def add_arguments(self, parser: Any) -> None:
        parser.add_argument("organization", nargs="?", metavar="SLUG")
        choice = parser.add_mutually_exclusive_group()
        choice.add_argument("--allow", action="store_true")
        choice.add_argument("--refuse", action="store_true")

    def handle(self, *, organization: str | None, allow: bool, refuse: bool, **options: Any) -> None:
        if organization is None:
            for slug in Organization.objects.filter(allow_environment_keys=True).values_list("slug", flat=True):
                self.stdout.write(slug)
            return
        row = Organization.objects.filter(slug=organization).first()
        if row is None:
            raise CommandError(f"There is no organization with the slug {organization}.", returncode=2)
        if not (allow or refuse):
            raise CommandError("Give --allow or --refuse.", returncode=2)
        organization_allow_environment_keys(organization=row, allowed=allow)
        self.stdout.write(f"{row.name} {'may' if allow else 'may not'} use the keys of the environment.")
