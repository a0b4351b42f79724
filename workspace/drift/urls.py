from django.urls import path

from workspace.drift import views

app_name = "drift"
urlpatterns = [
    path("drift/", views.watches, name="watches"),
    path("drift/new/", views.watch_new, name="watch-new"),
    path("drift/<int:watch_id>/", views.watch, name="watch"),
    path("drift/<int:watch_id>/pause/", views.pause, name="watch-pause"),
    path("drift/<int:watch_id>/resume/", views.resume, name="watch-resume"),
    path("drift/<int:watch_id>/seen/", views.see, name="watch-seen"),
    path("drift/<int:watch_id>/delete/", views.delete, name="watch-delete"),
]
