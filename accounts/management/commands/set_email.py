from typing import Any

from allauth.account.models import EmailAddress
from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError
from django.core.validators import validate_email
from django.db import transaction

from accounts.models import User
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
        email = email.strip().lower()
        try:
            validate_email(email)
        except ValidationError:
            raise CommandError("This is not an e-mail address.", returncode=2) from None
        if User.objects.filter(email__iexact=email).exclude(pk=user.pk).exists():
            raise CommandError("Another account has this address.", returncode=2)
        EmailAddress.objects.filter(user=user).delete()
        user.email = email
        user.save(update_fields=["email"])
        person_keep_address(user=user)
        self.stdout.write(f"The e-mail address of {user.username} is now {email}.")
