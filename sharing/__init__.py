"""Links that show one thing to people without a login. Above analysis.

`build_shared` builds what visitors see, as dataclasses with allowed fields only. Templates of visitors get no model
instances.
"""
