"""Webhooks: signed messages about runs, experiments and budgets to addresses that owners register (docs/webhooks.md).

`outbox` writes an event, with the content of `payloads`, in the transaction of the change that it reports. `delivery` sends
events from the database: `dispatcher` runs threads in every worker, `deliveries` claims and records, `sending` checks
addresses, keeps the secrets and makes the request. `services`, `selectors`, `forms`, `views` and `urls` are the pages.
"""
