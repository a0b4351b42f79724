"""Forms of accounts and organizations. Services validate what the values mean."""

from __future__ import annotations

from typing import Any

from allauth.account import forms as allauth_forms
from allauth.account.internal.flows.email_verification import send_verification_email_to_address
from allauth.account.models import EmailAddress
from allauth.core import context
from allauth.mfa.base import forms as two_factor_forms
from allauth.mfa.totp import forms as totp_forms
from django import forms
from django.conf import settings
from django.contrib.auth.password_validation import validate_password
from django.contrib.auth.validators import UnicodeUsernameValidator
from django.core.exceptions import ValidationError
from django.db import transaction
from django.http import HttpRequest

from accounts.models import Role
from accounts.outbox import reset_queue
from accounts.sign_in.claims import claim_account
from accounts.sign_in.reset_links import AllLinks, mailed_links

PASSWORD_HELP = "at least 12 characters; a sentence is easier to keep than a riddle"


def _plain(form: forms.Form, **labels: str) -> None:
    """Use labels instead of placeholders, which vanish on typing."""
    for name, field in form.fields.items():
        field.widget.attrs.pop("placeholder", None)
        field.label = labels.get(name, field.label)


class SignInForm(allauth_forms.LoginForm):
    def __init__(self, *args: Any, **options: Any):
        super().__init__(*args, **options)
        _plain(self, login="User name or e-mail", password="Password")
        self.fields["login"].widget.attrs |= {"autocomplete": "username", "autofocus": True}
        self.fields["login"].error_messages["required"] = "Type your user name."
        self.fields["password"].error_messages["required"] = "Type your password."
        self.fields["password"].help_text = ""

    def add_prefix(self, field_name: str) -> str:
        """The field keeps the name `username`, which browsers and scripts know."""
        return "username" if field_name == "login" else field_name


class ResetForm(allauth_forms.ResetPasswordForm):
    def __init__(self, *args: Any, **options: Any):
        super().__init__(*args, **options)
        _plain(self, email="E-mail of your account")
        self.fields["email"].error_messages["required"] = "Type the e-mail of your account."

    def clean_email(self) -> str:
        """The worker looks up the account. A lookup here would show by its duration whether one exists."""
        # Without mail the link would be written to a file that others might read.
        if not settings.MAIL_WORKS:
            raise ValidationError("This site sends no e-mail.")
        return self.cleaned_data["email"].lower()

    def save(self, request: HttpRequest, **options: Any) -> str:
        email = self.cleaned_data["email"]
        reset_queue(email=email, site=request.build_absolute_uri("/"))
        return email


class LinkForm(allauth_forms.UserTokenForm):
    token_generator = AllLinks()


class NewPasswordForm(allauth_forms.ResetPasswordKeyForm):
    def __init__(self, *args: Any, **options: Any):
        super().__init__(*args, **options)
        _new_password(self)

    @transaction.atomic
    def save(self) -> None:
        """A mailed link proves the address. It does not remove a second factor."""
        if mailed_links.check_token(self.user, self.temp_key):
            claim_account(context.request, user=self.user, way="a link for a new password", keep_second_factors=True)
        super().save()


class SetPasswordForm(allauth_forms.SetPasswordForm):
    def __init__(self, *args: Any, **options: Any):
        super().__init__(*args, **options)
        _new_password(self)


class ChangePasswordForm(allauth_forms.ChangePasswordForm):
    def __init__(self, *args: Any, **options: Any):
        super().__init__(*args, **options)
        _new_password(self)
        self.fields["oldpassword"].label = "Present password"
        self.fields["oldpassword"].help_text = ""


def _new_password(form: forms.Form) -> None:
    _plain(form, password1="New password", password2="New password again")
    form.fields["password1"].help_text = PASSWORD_HELP


class ConfirmForm(allauth_forms.ReauthenticateForm):
    def __init__(self, *args: Any, **options: Any):
        super().__init__(*args, **options)
        _plain(self)
        self.fields["password"].help_text = ""


class EmailForm(allauth_forms.AddEmailForm):
    def __init__(self, *args: Any, **options: Any):
        super().__init__(*args, **options)
        _plain(self, email="New e-mail")

    def save(self, request: HttpRequest) -> EmailAddress:
        """The current address stays until the new one is confirmed, even if it was never confirmed itself."""
        EmailAddress.objects.filter(user=self.user, primary=False).delete()
        address = EmailAddress.objects.create(user=self.user, email=self.cleaned_data["email"])
        send_verification_email_to_address(request, address)
        return address


class CodeForm(two_factor_forms.AuthenticateForm):
    def __init__(self, *args: Any, **options: Any):
        super().__init__(*args, **options)
        _plain(self, code="Code")
        self.fields["code"].help_text = "six digits from your app, or one of your recovery codes"


class ConfirmCodeForm(two_factor_forms.ReauthenticateForm):
    def __init__(self, *args: Any, **options: Any):
        super().__init__(*args, **options)
        _plain(self, code="Code")
        self.fields["code"].help_text = "six digits from your app, or one of your recovery codes"


class ActivateForm(totp_forms.ActivateTOTPForm):
    def __init__(self, *args: Any, **options: Any):
        super().__init__(*args, **options)
        _plain(self, code="Code that the app shows")


class OrganizationForm(forms.Form):
    name = forms.CharField(
        max_length=100,
        label="Name",
        error_messages={
            "required": "Give the organization a name.",
            "max_length": "A name has at most 100 characters.",
        },
    )


class InvitationForm(forms.Form):
    email = forms.EmailField(
        label="E-mail",
        error_messages={
            "required": "Type the e-mail of the person you invite.",
            "invalid": "Type an e-mail address, such as ada@example.org.",
        },
    )
    role = forms.ChoiceField(
        choices=Role.choices,
        initial=Role.EDITOR,
        error_messages={"required": "Choose a role.", "invalid_choice": "Choose one of the roles."},
    )


class PersonForm(forms.Form):
    full_name = forms.CharField(
        max_length=150, required=False, label="Name", help_text="how others see you; empty for your user name"
    )


class NewAccountForm(forms.Form):
    username = forms.CharField(
        max_length=150,
        label="User name",
        validators=[UnicodeUsernameValidator(message="A user name has letters, digits and @ . + - _ only.")],
        widget=forms.TextInput(attrs={"autocomplete": "username", "autofocus": True}),
        error_messages={"required": "Choose a user name."},
    )
    full_name = forms.CharField(max_length=150, required=False, label="Name", help_text="how others see you")
    password = forms.CharField(
        max_length=500,
        strip=False,
        help_text=PASSWORD_HELP,
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
        error_messages={"required": "Choose a password."},
    )

    def clean_password(self) -> str:
        password = self.cleaned_data["password"]
        validate_password(password)
        return password


def take_errors(form: forms.Form, error: ValidationError) -> None:
    """Add a service's errors to their fields."""
    by_field = error.message_dict if hasattr(error, "error_dict") else {"": error.messages}
    for field, sentences in by_field.items():
        form.add_error(field if field in form.fields else None, sentences)
