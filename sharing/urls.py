from django.urls import path

from sharing.views import members, visitors

app_name = "sharing"
urlpatterns = [
    path("share/", members.links, name="links"),
    path("share/<str:kind>/<int:target_id>/", members.share, name="share"),
    path("share/links/<int:link_id>/revoke/", members.revoke, name="revoke"),
    path("s/<str:token>/", visitors.shared, name="shared"),
    path("s/<str:token>/embed/", visitors.embed, name="share-embed"),
    path("s/<str:token>/cell/", visitors.cell, name="shared-cell"),
    path("s/<str:token>/<str:name>.json", visitors.figure, name="shared-figure"),
    path("s/<str:token>/runs/<int:number>/", visitors.run, name="shared-run"),
    path("s/<str:token>/runs/<int:number>/<str:name>.json", visitors.run_figure, name="shared-run-figure"),
    path("s/<str:token>/runs/<int:number>/notes/", visitors.notes, name="shared-notes"),
    path("s/<str:token>/runs/<int:number>/periods/<int:index>/", visitors.period, name="shared-period"),
]
