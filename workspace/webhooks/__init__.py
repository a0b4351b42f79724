"""Webhooks: signed messages about runs, experiments and budgets to addresses that owners register (docs/webhooks.md).

`outbox` writes an event, with content from `payloads`, in the transaction of the change that it reports. `delivery`
sends stored events: `dispatcher` runs threads in every worker, `deliveries` claims and records, and `sending` checks
addresses, keeps the secrets and makes the request. `services`, `selectors`, `forms`, `views` and `urls` make up the
pages.
"""
