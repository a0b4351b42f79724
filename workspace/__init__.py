"""What an organization has beside its runs: comments, budgets, imports and exports, webhooks, watches for drift."""
