"""Statistics, figures and tables over runs. Only sharing and the API are above.

`statistics`, `figures` and the tables are pure functions over plain records.
"""
