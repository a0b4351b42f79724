"""Links that show one thing to people who do not log in. Above analysis; only the API lies higher.

What visitors see is built in `shown` from the selectors of the lower layers, as dataclasses with allowed fields only:
templates of this app never get a row of the database.
"""
