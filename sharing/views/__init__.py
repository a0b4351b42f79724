"""For members: making and revoking links. For visitors: what a link shows."""
