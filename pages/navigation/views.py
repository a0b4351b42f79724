from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from accounts.pages.requests import MemberRequest, typed
from pages.navigation.selectors import destinations


@require_safe
def go_to(request: MemberRequest) -> HttpResponse:
    """The destinations that match the typed text. The command palette loads the list alone."""
    text = typed(request.GET, "q")
    return render(
        request,
        "pages/navigation/_destinations.html" if request.htmx else "pages/navigation/go_to.html",
        {"text": text, "destinations": destinations(membership=request.membership, text=text)},
    )
