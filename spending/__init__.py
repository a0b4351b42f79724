"""What model calls cost: the ledger of calls, the months of organizations and members, budget alerts.

The engine books costs itself (runs.engine.writing); this package reads them. `selectors.ledger` lists calls,
`selectors.call_sums` sums them up by agent, experiment or day, `selectors.breakdown` shapes these sums for pages,
`selectors.months` reads the months, `selectors.alerts` the alerts. `mail` queues e-mails about alerts. `services` completes
rows of an earlier version. `forms`, `views` and `urls` are the pages.
"""
