from django.http import HttpResponse
from django.shortcuts import render

from accounts.pages.requests import MemberRequest
from dashboard.selectors.home import home


def home_page(request: MemberRequest) -> HttpResponse:
    template = "dashboard/_home_live.html" if request.htmx else "dashboard/home.html"
    return render(request, template, {"home": home(organization=request.organization)})
