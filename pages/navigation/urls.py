from django.urls import path

from pages.navigation import views

app_name = "navigation"
urlpatterns = [path("go/", views.go_to, name="go-to")]
