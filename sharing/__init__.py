"""Share links, which show one thing to people without a login.

`build_shared` builds what visitors see: dataclasses with allowed fields only. Templates for visitors get no model
instances. The package may import `analysis`, but not the reverse.
"""
