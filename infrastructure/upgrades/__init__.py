"""Additions to Django's migrations.

The first migration of a package replaces the earlier migrations of that package. Their files are gone, so a database must
have all of them or none: `age` checks this. `first_tables` makes the tables of an empty database quickly.
"""
