"""Validation and comparison of e-mail addresses."""

import string
from typing import Any

from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import models

_TO_LOWER = str.maketrans(string.ascii_uppercase, string.ascii_lowercase)


def ascii_lower(text: str) -> str:
    """Return the text with A to Z in lower case and all other letters unchanged. Addresses are compared in this form.

    Unicode lower-cases further letters to ASCII ones (U+212A KELVIN SIGN to k), and databases upper-case others (U+0131 to
    I). A mail server treats none of these as equal, so an account must not be found by them.
    """
    return text.translate(_TO_LOWER)


def validate_address(address: str) -> None:
    """Raise ValidationError unless every program reads the same address from the text."""
    validate_email(address)
    local, _, domain = address.rpartition("@")
    # Django's pattern ignores case, so it accepts four letters before the @ that are not ASCII.
    if not local.isascii() or ascii_lower(domain) != domain.lower():
        raise ValidationError("Type the address with the letters A to Z, such as ada@example.org.")


class AddressField(models.EmailField):  # type: ignore[type-arg]
    """Model field for an e-mail address. Values are stored and looked up in the form of `ascii_lower`."""

    default_validators = [validate_address]

    def get_prep_value(self, value: Any) -> Any:
        value = super().get_prep_value(value)
        return value if value is None else ascii_lower(value)

    def pre_save(self, instance: models.Model, add: bool) -> Any:
        """Set the instance's attribute to the stored form too."""
        value = self.get_prep_value(super().pre_save(instance, add))
        setattr(instance, self.attname, value)
        return value
