"""Telling other systems what happened: signed messages to addresses that owners register.

`outbox` writes an event in the transaction of what it tells of; `courier` delivers from the database, in threads of its
own, whenever a worker is up. See docs/webhooks.md.
"""
