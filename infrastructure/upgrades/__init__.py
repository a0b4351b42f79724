"""What this project adds to Django's migrations.

The first migration of a package replaces those that the package had before. Their files are gone, so a database must have
all of them or none: `age` checks this. `first_tables` makes the tables of an empty database quickly.
"""
