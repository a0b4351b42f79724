"""Views. Each has a guard, a form, a call of a service, and a redirect."""
