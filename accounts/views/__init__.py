"""Guard, form, service, redirect."""
