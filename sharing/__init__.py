"""Links that show one thing to people without a login. Above analysis.

`shown` builds what visitors see, as dataclasses with allowed fields only. Templates of visitors get no model instances.
"""
