"""What a visitor sees: dataclasses with allowed fields only.

They have no costs, tokens, names of members, endpoints, stop reasons or hidden parameters. Numbers replace database ids.
"""
