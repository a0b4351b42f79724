from django.apps import AppConfig


class GalleryConfig(AppConfig):
    name = "sharing.gallery"
    label = "gallery"
