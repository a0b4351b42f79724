"""An outside column, for tests of pages and of the API."""

from analysis.generalizability.outside import columns_of
from analysis.generalizability.services import outside_columns_create

CSV = "model,Elsewhere\nGPT-5,3\nclaude 4.5 opus,1.5\nGrok 3 Beta,2\nOpenAI,9\nNobody,4\n"


def column_of(organization, csv=CSV):
    (column,) = outside_columns_create(organization=organization, user=None, columns=columns_of(csv))
    return column
