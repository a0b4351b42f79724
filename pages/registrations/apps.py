from django.apps import AppConfig


class RegistrationsConfig(AppConfig):
    name = "pages.registrations"
    label = "registrations"
