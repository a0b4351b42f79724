"""Write operations, keyword-only and named entity_verb. Only these and the engine write."""
