from django.urls import path

from workspace.webhooks import views

app_name = "webhooks"
urlpatterns = [
    path("", views.webhooks, name="webhooks"),
    path("new/", views.edit, name="webhook-new"),
    path("<int:webhook_id>/", views.webhook_detail, name="webhook"),
    path("<int:webhook_id>/change/", views.edit, name="webhook-change"),
    path("<int:webhook_id>/test/", views.test, name="webhook-test"),
    path("<int:webhook_id>/pause/", views.pause, name="webhook-pause"),
    path("<int:webhook_id>/resume/", views.resume, name="webhook-resume"),
    path("<int:webhook_id>/secret/", views.rotate, name="webhook-rotate"),
    path("<int:webhook_id>/delete/", views.delete, name="webhook-delete"),
    path("<int:webhook_id>/deliveries/<int:delivery_id>/resend/", views.resend, name="webhook-resend"),
]
