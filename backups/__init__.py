"""Copies of the whole database that a site can be set back to: see backups.services."""
