"""What model calls cost: the ledger of calls, the months of organizations and members, budget alerts.

The engine books costs itself (runs.engine.writing); this package reads them. `selectors.call_sums` sums calls up by agent,
experiment or day, `selectors.breakdown` shapes these sums for pages. `mail` queues e-mails about alerts.
"""
