from django.urls import path

from pages.registrations import views

app_name = "registrations"
urlpatterns = [
    path("registrations/", views.registrations, name="registrations"),
    path("registrations/new/", views.registration_new, name="registration-new"),
    path("registrations/new/confirm/", views.registration_confirm, name="registration-confirm"),
    path("registrations/<int:registration_id>/", views.registration, name="registration"),
    path("registrations/<int:registration_id>/launch/", views.registration_launch, name="registration-launch"),
    path("registrations/<int:registration_id>/study.yaml", views.study_file, name="study-file"),
    path("registrations/<int:registration_id>/report/", views.report_file, name="report-file"),
    path("registrations/<int:registration_id>/archive/", views.archive_file, name="archive-file"),
]
