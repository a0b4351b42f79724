from django.apps import AppConfig


class SiteConfig(AppConfig):
    name = "econevals_site"
    label = "site"
