"""Backup and restore of the whole database.

`services` takes, checks and restores a backup. `archive` reads and writes its file, a zip with a manifest. `sqlite` and
`postgres` have the same functions, which copy and load a database of their engine. `management` holds the commands.
"""
