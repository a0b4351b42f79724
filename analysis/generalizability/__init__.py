"""Any measure of agents, models or makers set against any other, also against columns that members bring as CSV."""
