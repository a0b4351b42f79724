from django.apps import AppConfig


class RegistrationsConfig(AppConfig):
    name = "analysis.registrations"
    label = "registrations"
