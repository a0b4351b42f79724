from django.urls import path

from sharing.views import content, members, visitors

app_name = "sharing"

INNER = (
    ("picture.png", content.picture, "picture"),
    ("cell/", content.cell, "cell"),
    ("<str:name>.json", content.figure, "figure"),
    ("runs/<int:number>/", content.run, "run"),
    ("runs/<int:number>/<str:name>.json", content.run_figure, "run-figure"),
    ("runs/<int:number>/notes/", content.notes, "notes"),
    ("runs/<int:number>/periods/<int:index>/", content.period, "period"),
)
"""(route, view, name) of the pages below the first page of something that is shown."""

urlpatterns = [
    path("share/", members.links, name="links"),
    path("share/<str:kind>/<int:target_id>/", members.share, name="share"),
    path("share/links/<int:link_id>/revoke/", members.revoke, name="revoke"),
    path("s/<str:token>/", visitors.shared, name="shared"),
    path("s/<str:token>/embed/", visitors.embed, name="share-embed"),
    *(path(f"s/<str:token>/{route}", visitors.visited(view), name=f"shared-{name}") for route, view, name in INNER),
]
