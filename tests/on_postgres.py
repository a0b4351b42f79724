"""The test files that run on PostgreSQL too. What they ask depends on locks, transactions, sorting, dates, JSON or limits."""

_NAMES = {
    "accounts": "audit_log invitations keys organizations proof_of_addresses single_sign_on",
    "analysis": """
        agent_page benchmark_table experiment_charts hidden_runs litmus_pages behaviour pages runs_compared
        saved_leaderboards
    """,
    "api": """
        authentication bad_requests idempotency launching limits matrix mcp_reading paging query_counts tokens
    """,
    "workspace/discussion": "at_once comments mentions queries stars tag_filters tags",
    "runs/episodes": "deadlocks mcp practice scenarios seasons",
    "runs/findings": "findings_of_runs kills pages",
    "pages/instances": "designs",
    "analysis/notes": "analyses embedding labels programs search text",
    "pages/dashboard": "deleted experiment_page home_news ledger query_counts run_lists run_page spend stalls",
    "pages/play": "document entries games own_problems pairs payoffs scenarios studies",
    "runs": """
        advance backup_files budgets commands control deadlocks deletions games_apart group_commit launching lease
        own_prompts pace pause_causes proofs seats survey
    """,
    "sharing": "link_ends links",
    "site": "operation",
    "workspace/spending": "alert_mails tables",
    "runs/stages": "staged_runs",
    "workspace/transfer": """
        downloads exports forged_results hostile_tables import_pages importing_every_environment imports_in_workers
        round_trip
    """,
    "workspace/webhooks": "cheapness deliveries events",
}

FILES = [f"tests/{folder}/test_{name}.py" for folder, names in _NAMES.items() for name in names.split()]
