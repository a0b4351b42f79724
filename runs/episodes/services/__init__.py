"""Write operations of the episode service, one module per subject."""
