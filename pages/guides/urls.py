from django.urls import path

from pages.guides import views

app_name = "guides"
urlpatterns = [
    path("docs/", views.guides_page, name="guides"),
    path("docs/<slug:guide>/", views.guide_page, name="guide"),
    path("methodology/", views.methodology_page, name="methodology"),
    path("methodology/definitions/<str:anchor>/", views.definition, name="definition"),
    path("methodology/<str:section>/", views.methodology_section, name="methodology-section"),
]
