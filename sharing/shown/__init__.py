"""What a visitor sees: dataclasses with the fields that are allowed, filled from the selectors of the lower layers.

Nothing here holds costs, tokens, names of members, endpoints, reasons of stops or the hidden truth of an instance, and ids
of the database are replaced by numbers within the shared thing.
"""
