from django.urls import path

from sharing.gallery.views import owners, visitors
from sharing.gallery.views.owners import previewed
from sharing.gallery.views.visitors import entered, opened
from sharing.urls import INNER
from sharing.views import content

app_name = "gallery"

PAGES = (
    ("", visitors.gallery, "gallery"),
    ("citation.bib", visitors.citation, "citation"),
    ("picture.png", visitors.picture, "picture"),
    ("<slug:entry>/", entered(content.first_page), "entry"),
    *((f"<slug:entry>/{route}", entered(view), f"entry-{name}") for route, view, name in INNER),
)
"""(route, view, name) of the pages below the address of a gallery."""

urlpatterns = [
    path("organization/gallery/", owners.manage, name="manage"),
    path("organization/gallery/entries/", owners.add, name="add"),
    path("organization/gallery/entries/<int:entry_id>/", owners.change, name="change"),
    path("organization/gallery/open/", owners.confirm, name="confirm"),
    path("organization/gallery/close/", owners.close, name="close"),
    path("organization/gallery/preview/", previewed(visitors.gallery), name="preview"),
    *(
        path(f"organization/gallery/preview/{route}", previewed(view), name=f"preview-{name}")
        for route, view, name in PAGES[1:]
    ),
    path("results/", visitors.index, name="index"),
    *(path(f"results/<slug:gallery>/{route}", opened(view), name=name) for route, view, name in PAGES),
]
