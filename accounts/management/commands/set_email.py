from typing import Any

from allauth.account.models import EmailAddress
from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError
from django.db import transaction

from accounts.email_addresses import ascii_lower, validate_address
from accounts.models import User
from accounts.selectors import person_of_address
from accounts.services.people import person_keep_address


class Command(BaseCommand):
    help = "Change a person's e-mail address without verification, for sites without e-mail."

    def add_arguments(self, parser: Any) -> None:
        parser.add_argument("username")
        parser.add_argument("email")

    @transaction.atomic
    def handle(self, *, username: str, email: str, **options: Any) -> None:
        user = User.objects.filter(username__iexact=username).first()
        if user is None:
            raise CommandError(f"There is no account called {username}.", returncode=2)
        email = ascii_lower(email.strip())
        try:
            validate_address(email)
        except ValidationError:
            raise CommandError("This is not an e-mail address.", returncode=2) from None
        if person_of_address(email) not in (None, user):
            raise CommandError("Another account has this address.", returncode=2)
        EmailAddress.objects.filter(user=user).delete()
        user.email = email
        user.save(update_fields=["email"])
        person_keep_address(user=user)
        self.stdout.write(f"The e-mail address of {user.username} is now {email}.")
