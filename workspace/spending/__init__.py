"""The cost of model calls: the ledger of calls, the months of organizations and members, budget alerts.

The engine books costs itself (runs.engine.writing); this package reads them. `selectors.breakdown` sums calls by
agent, experiment or day. `mail` queues e-mails about alerts.
"""
