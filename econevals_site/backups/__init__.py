"""Backups of the whole database, and restoring them.

`services` takes, checks and restores a backup. `archive` is its file: a zip with a manifest. `sqlite` and `postgres` copy and
load a database of their engine, with the same functions. `management` holds the commands backup and restore.
"""
