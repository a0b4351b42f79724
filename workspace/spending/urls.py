from django.urls import path

from workspace.spending import views

app_name = "spending"
urlpatterns = [
    path("experiments/<int:experiment_id>/ledger/", views.ledger, name="experiment-ledger"),
    path("experiments/<int:experiment_id>/ledger/ledger.csv", views.ledger_csv, name="experiment-ledger-csv"),
    path("ledger/", views.ledger, name="ledger"),
    path("ledger/ledger.csv", views.ledger_csv, name="ledger-csv"),
    path("spend/", views.spend, name="spend"),
    path("spend/spend.csv", views.spend_csv, name="spend-csv"),
    path("spend/budget/", views.organization_budget, name="organization-budget"),
    path("spend/members/<int:membership_id>/budget/", views.member_budget, name="member-budget"),
]
