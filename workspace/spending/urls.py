from django.urls import path

from workspace.spending.views import ledger, spend

app_name = "spending"
urlpatterns = [
    path("experiments/<int:experiment_id>/ledger/", ledger.ledger, name="experiment-ledger"),
    path("experiments/<int:experiment_id>/ledger/ledger.csv", ledger.ledger_csv, name="experiment-ledger-csv"),
    path("ledger/", ledger.ledger, name="ledger"),
    path("ledger/ledger.csv", ledger.ledger_csv, name="ledger-csv"),
    path("spend/", spend.spend, name="spend"),
    path("spend/spend.csv", spend.spend_csv, name="spend-csv"),
    path("spend/budget/", spend.organization_budget, name="organization-budget"),
    path("spend/members/<int:membership_id>/budget/", spend.member_budget, name="member-budget"),
]
