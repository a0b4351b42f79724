"""Services, which write. They take keyword arguments only, and their names have the form entity_verb."""
