"""Users, organizations, memberships, and provider endpoints with their keys."""
