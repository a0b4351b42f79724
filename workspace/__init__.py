"""An organization's data besides its runs: comments, budgets, imports and exports, webhooks, watches for drift."""
