"""Comments, mentions, tags and stars on experiments, runs and periods.

`models` holds the tables. `subjects` names the subject of a row: an experiment, a run, or a period of a run.
`mentions` finds @names in rendered text. `services.comments` also queues e-mails about mentions.
"""
