"""Comments, mentions, tags and stars on experiments, runs and periods.

`models` holds the tables. `subjects` names what a row is about: an experiment, a run, or a period of a run. `mentions` finds
@names in rendered text; `mail` queues e-mails about them. `selectors` read: comments with the annotations of one run page,
tags, and personal lists of stars and mentions. `services` write. `views`, `forms` and `urls` are the pages.
"""
