"""Django's settings, for all kinds of sites. Environment variables change them; docs/settings.md lists the variables."""

import os
from pathlib import Path

from csp.constants import NONE, SELF

from econevals_site.configuration import refusals, services
from econevals_site.configuration.environment import env_bool, env_int, env_list, env_text, secret_from_file
from econevals_site.configuration.folders import private_folder, socket_path

# Every process loads this file, so other users cannot read any file that a process of the site writes.
os.umask(0o077)

BASE_DIR = Path(__file__).resolve().parent.parent
DATA_DIR = private_folder(Path(env_text("ECONEVALS_DATA_DIR") or BASE_DIR / "data").absolute())

DATABASE_URL = refusals.service_url("DATABASE_URL", env_text("DATABASE_URL"))
REDIS_URL = services.redis_url(refusals.service_url("REDIS_URL", env_text("REDIS_URL")))
refusals.refuse_proxies()
EMBEDDED = not DATABASE_URL
"""The one-machine set-up: SQLite, and a Valkey server as a child process unless REDIS_URL names a server."""

VERSION = "0.1.0"
DEBUG = env_bool("DEBUG", False)
SECRET_KEY = env_text("SECRET_KEY")
ALLOWED_HOSTS = env_list("ALLOWED_HOSTS") or ["127.0.0.1", "localhost", "[::1]"]
if not EMBEDDED:
    refusals.refuse_unsafe(secret_key=SECRET_KEY, debug=DEBUG, allowed_hosts=ALLOWED_HOSTS)
SECRET_KEY_FALLBACKS = env_list("SECRET_KEY_FALLBACKS")
KEY_SECRETS = env_list("ECONEVALS_KEY_SECRETS")
refusals.refuse_weak_secrets(secret_key=SECRET_KEY, fallbacks=SECRET_KEY_FALLBACKS, key_secrets=KEY_SECRETS)
SECRET_KEY = SECRET_KEY or secret_from_file(DATA_DIR / "secret_key")
KEY_SECRETS += [SECRET_KEY, *SECRET_KEY_FALLBACKS]
"""The first secret encrypts provider keys; all of them decrypt. `rotate_keys` encrypts all keys with the first again."""
CSRF_TRUSTED_ORIGINS = env_list("CSRF_TRUSTED_ORIGINS")
PORT = env_int("PORT", 8000)

PUBLIC_URL = env_text("ECONEVALS_URL").rstrip("/") or (
    f"http://127.0.0.1:{PORT}" if EMBEDDED else f"https://{ALLOWED_HOSTS[0].lstrip('.')}"
)
"""The site's address for links in e-mails and webhooks, which are sent outside of a request."""

ALLOW_PRIVATE_ENDPOINTS = env_bool("ECONEVALS_ALLOW_PRIVATE_ENDPOINTS", EMBEDDED)

INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.humanize",
    "django.contrib.sessions",
    "django.contrib.messages",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    *("allauth", "allauth.account", "allauth.mfa", "allauth.usersessions"),
    *("allauth.socialaccount", "allauth.socialaccount.providers.openid_connect"),
    *("csp", "django.forms", "django_htmx", "lucide"),
    # Apps of this repository.
    *("econevals_site", "accounts", "runs", "workspace.discussion", "workspace.spending", "workspace.transfer"),
    *("workspace.webhooks", "econevals_site.backups", "pages.guides", "runs.findings", "runs.stages", "runs.episodes"),
    *("workspace.drift", "workspace.questions", "pages.dashboard", "analysis", "analysis.notes", "pages.instances"),
    *("pages.reports", "pages.play", "pages.registrations", "sharing", "sharing.gallery", "api"),
]

MIDDLEWARE = [
    "infrastructure.transactions.release_connection",
    "econevals_site.operation.addresses.OperationAddresses",
    "api.middleware.ApiAnswers",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "accounts.middleware.PrivateAnswers",
    "csp.middleware.CSPMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "accounts.middleware.LogInFirst",
    "accounts.middleware.computing_limit",
    "accounts.middleware.OrganizationMiddleware",
    "runs.own_titles.own_titles",
    "django.contrib.messages.middleware.MessageMiddleware",
    "econevals_site.serving.refused_bodies.RefusedBodies",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
]

ROOT_URLCONF = "econevals_site.urls"
ASGI_APPLICATION = "econevals_site.asgi.application"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "accounts.outbox.mail_works",
            ],
            "builtins": [
                *("infrastructure.text.formats", "infrastructure.text.table_cells", "django.templatetags.static"),
                "pages.guides.templatetags.explained",
                *("pages.dashboard.templatetags.page", "pages.dashboard.templatetags.parts"),
                "pages.navigation.templatetags.navigation",
            ],
        },
    }
]

FORM_RENDERER = "django.forms.renderers.TemplatesSetting"
LEASE_SECONDS = env_int("ECONEVALS_LEASE_SECONDS", 15)
DATABASES = {"default": services.database_config(DATABASE_URL, DATA_DIR, LEASE_SECONDS)}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

AUTH_USER_MODEL = "accounts.User"
LOGIN_URL = LOGOUT_REDIRECT_URL = "accounts:login"
LOGIN_REDIRECT_URL = "home"
CSRF_FAILURE_VIEW = "accounts.views.errors.csrf_failure"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 12}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]

# People join by invitation. They log in with a user name or an e-mail address. A changed address is verified.
AUTHENTICATION_BACKENDS = [
    "accounts.sign_in.log_in.OnePerson",
    # Nobody logs in with this backend any more, but older sessions name it.
    "allauth.account.auth_backends.AuthenticationBackend",
]
ACCOUNT_ADAPTER = "accounts.sign_in.adapters.AccountAdapter"
ACCOUNT_LOGIN_METHODS = {"username", "email"}
ACCOUNT_SIGNUP_FIELDS = ["email*", "username*", "password1*"]
ACCOUNT_EMAIL_VERIFICATION = "none"
ACCOUNT_CHANGE_EMAIL = True
ACCOUNT_EMAIL_UNKNOWN_ACCOUNTS = False
ACCOUNT_EMAIL_NOTIFICATIONS = True
ACCOUNT_EMAIL_SUBJECT_PREFIX = ""
ACCOUNT_SESSION_REMEMBER = True
ACCOUNT_REAUTHENTICATION_REQUIRED = True
ACCOUNT_REAUTHENTICATION_TIMEOUT = 600
ACCOUNT_FORMS = {
    "login": "accounts.forms.SignInForm",
    "reset_password": "accounts.forms.ResetForm",
    "reset_password_from_key": "accounts.forms.NewPasswordForm",
    "user_token": "accounts.forms.LinkForm",
    "set_password": "accounts.forms.SetPasswordForm",
    "change_password": "accounts.forms.ChangePasswordForm",
    "add_email": "accounts.forms.EmailForm",
    "reauthenticate": "accounts.forms.ConfirmForm",
}
ACCOUNT_RATE_LIMITS = {"login": "60/m/ip", "login_failed": "30/5m/ip,5/5m/key"}
ALLAUTH_TRUSTED_PROXY_COUNT = env_int("ECONEVALS_PROXIES", 0)
MFA_ADAPTER = "accounts.sign_in.adapters.TwoFactorAdapter"
MFA_SUPPORTED_TYPES = ["totp", "recovery_codes"]
MFA_TOTP_ISSUER = "EconEvals"
MFA_ALLOW_UNVERIFIED_EMAIL = True
MFA_FORMS = {
    "authenticate": "accounts.forms.CodeForm",
    "reauthenticate": "accounts.forms.ConfirmCodeForm",
    "activate_totp": "accounts.forms.ActivateForm",
}
SOCIALACCOUNT_ADAPTER = "accounts.sign_in.adapters.SingleSignOnAdapter"
SOCIALACCOUNT_EMAIL_AUTHENTICATION = SOCIALACCOUNT_EMAIL_AUTHENTICATION_AUTO_CONNECT = True
SOCIALACCOUNT_PROVIDERS = {"openid_connect": services.openid_config()}

EMAIL_URL = env_text("EMAIL_URL")
MAIL_WORKS = bool(EMAIL_URL)
DEFAULT_FROM_EMAIL = SERVER_EMAIL = env_text("EMAIL_FROM") or "EconEvals <econevals@localhost>"
globals().update(services.email_config(EMAIL_URL, DATA_DIR / "mail"))

LANGUAGE_CODE, USE_I18N = "en", False
USE_TZ, TIME_ZONE = True, "UTC"

STATIC_URL = "static/"
STATIC_ROOT = DATA_DIR / "static"
STATICFILES_DIRS = [BASE_DIR / "static", private_folder(DATA_DIR / "fonts")]
STATICFILES_FINDERS = [
    "django.contrib.staticfiles.finders.FileSystemFinder",
    "django.contrib.staticfiles.finders.AppDirectoriesFinder",
    "econevals_site.static_files.finders.PackageFinder",
]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "econevals_site.static_files.storage.CompressedStorage"},
}
WHITENOISE_KEEP_ONLY_HASHED_FILES = True

# Pages load everything from this site. Plotly draws SVG, and exports pictures as data: or blob: addresses.
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [SELF],
        "img-src": [SELF, "data:", "blob:"],
        "object-src": [NONE],
        "base-uri": [NONE],
        "form-action": [SELF],
        "frame-ancestors": [NONE],
    }
}
X_FRAME_OPTIONS = "DENY"
DEFAULT_EXCEPTION_REPORTER_FILTER = "econevals_site.serving.private.PrivateErrorPages"
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
SESSION_COOKIE_HTTPONLY = True
HTTPS = env_bool("ECONEVALS_HTTPS", False)
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = HTTPS
if HTTPS:
    # Browsers accept cookies with the prefix __Host- from this host only, not from a compromised sibling host.
    SESSION_COOKIE_NAME, CSRF_COOKIE_NAME = "__Host-sessionid", "__Host-csrftoken"
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    SECURE_SSL_REDIRECT = env_bool("ECONEVALS_SSL_REDIRECT", True)
    SECURE_HSTS_SECONDS = 31_536_000
    SECURE_HSTS_INCLUDE_SUBDOMAINS = SECURE_HSTS_PRELOAD = True

VALKEY_SOCKET = None if REDIS_URL else socket_path(DATA_DIR, "valkey.sock")
BROKER_URL = REDIS_URL or f"unix://{VALKEY_SOCKET}"
CACHES = {"default": services.cache_config(BROKER_URL)}
CELERY_BROKER_URL = REDIS_URL or f"redis+socket://{VALKEY_SOCKET}"
API_REQUESTS_A_MINUTE = env_int("ECONEVALS_API_REQUESTS", 600)
"""Limit of requests with one API token. Further requests in the same minute get status 429."""

WORKER_THREADS = env_int("ECONEVALS_WORKER_THREADS", 256)
BASELINES_AT_ONCE = env_int("ECONEVALS_BASELINES_AT_ONCE", 4)
SLICE_SECONDS = env_int("ECONEVALS_SLICE_SECONDS", 15)
OUTAGE_MINUTES = env_int("ECONEVALS_OUTAGE_MINUTES", 60)
SWEEP_SECONDS = env_int("ECONEVALS_SWEEP_SECONDS", 5)
BATCH_POLL_SECONDS = env_int("ECONEVALS_BATCH_POLL_SECONDS", 60)
CELERY_BEAT_SCHEDULE = {"sweep": {"task": "runs.tasks.sweep", "schedule": SWEEP_SECONDS}}

METRICS_TOKEN = refusals.strong_secret("ECONEVALS_METRICS_TOKEN", env_text("ECONEVALS_METRICS_TOKEN"))
LOGGING = services.logging_config(env_text("LOG_LEVEL") or "INFO", env_text("ECONEVALS_LOG_FORMAT") or "plain")
