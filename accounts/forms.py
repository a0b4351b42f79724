"""Forms of accounts and organizations. They check single fields; services check the rest."""

from typing import Any, ClassVar

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

from accounts.email_addresses import validate_address
from accounts.models import Role
from accounts.outbox import reset_queue
from accounts.sign_in.claims import claim_account
from accounts.sign_in.reset_links import AllLinks, mailed_links

PASSWORD_HELP = "at least 12 characters; a sentence is easier to keep than a riddle"


class Plain:
    """Mixin for allauth's forms: it sets texts by field name, and removes placeholders, which vanish on typing."""

    fields: dict[str, forms.Field]
    labels: ClassVar[dict[str, str]] = {}
    helps: ClassVar[dict[str, str]] = {}
    if_empty: ClassVar[dict[str, str]] = {}

    def __init__(self, *args: Any, **options: Any):
        super().__init__(*args, **options)
        for name, field in self.fields.items():
            field.widget.attrs.pop("placeholder", None)
            field.label = self.labels.get(name, field.label)
            field.help_text = self.helps.get(name, field.help_text)
            if name in self.if_empty:
                field.error_messages["required"] = self.if_empty[name]
            if isinstance(field, forms.EmailField):
                field.validators = [validate_address]


class SignInForm(Plain, allauth_forms.LoginForm):
    labels = {"login": "User name or e-mail", "password": "Password"}
    helps = {"password": ""}
    if_empty = {"login": "Type your user name.", "password": "Type your password."}

    def __init__(self, *args: Any, **options: Any):
        super().__init__(*args, **options)
        self.fields["login"].widget.attrs |= {"autocomplete": "username", "autofocus": True}

    def add_prefix(self, field_name: str) -> str:
        """Call the field `login` by the name `username` in HTML, because browsers and scripts know that name."""
        return "username" if field_name == "login" else field_name


class ResetForm(Plain, allauth_forms.ResetPasswordForm):
    labels = {"email": "E-mail of your account"}
    if_empty = {"email": "Type the e-mail of your account."}

    def clean_email(self) -> str:
        """Check only that the site sends mail. A worker looks up the account, so response times reveal nothing."""
        # Without mail the link would be written to a file that others might read.
        if not settings.MAIL_WORKS:
            raise ValidationError("This site sends no e-mail.")
        return str(self.cleaned_data["email"])

    def save(self, request: HttpRequest, **options: Any) -> str:
        email = self.cleaned_data["email"]
        reset_queue(email=email, site=request.build_absolute_uri("/"))
        return email


class LinkForm(allauth_forms.UserTokenForm):
    token_generator = AllLinks()


class NewPassword(Plain):
    labels = {"password1": "New password", "password2": "New password again", "oldpassword": "Present password"}
    helps = {"password1": PASSWORD_HELP, "oldpassword": ""}


class NewPasswordForm(NewPassword, allauth_forms.ResetPasswordKeyForm):
    @transaction.atomic
    def save(self) -> None:
        """Save the password. A mailed link also proves the address, but does not remove a second factor."""
        if mailed_links.check_token(self.user, self.temp_key):
            claim_account(context.request, user=self.user, way="a link for a new password", keep_second_factors=True)
        super().save()


class SetPasswordForm(NewPassword, allauth_forms.SetPasswordForm):
    """For people without a password, who have used single sign-on so far."""


class ChangePasswordForm(NewPassword, allauth_forms.ChangePasswordForm):
    """For people who know their present password."""


class ConfirmForm(Plain, allauth_forms.ReauthenticateForm):
    helps = {"password": ""}


class EmailForm(Plain, allauth_forms.AddEmailForm):
    labels = {"email": "New e-mail"}

    def save(self, request: HttpRequest) -> EmailAddress:
        """Add the new address. The current one, even if unconfirmed, stays until the new one is confirmed."""
        EmailAddress.objects.filter(user=self.user, primary=False).delete()
        address = EmailAddress.objects.create(user=self.user, email=self.cleaned_data["email"])
        send_verification_email_to_address(request, address)
        return address


class Code(Plain):
    labels = {"code": "Code"}
    helps = {"code": "six digits from your app, or one of your recovery codes"}


class CodeForm(Code, two_factor_forms.AuthenticateForm):
    """The second step of a log-in."""


class ConfirmCodeForm(Code, two_factor_forms.ReauthenticateForm):
    """The confirmation of a signed-in person before a change of the account."""


class ActivateForm(Plain, totp_forms.ActivateTOTPForm):
    labels = {"code": "Code that the app shows"}


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
