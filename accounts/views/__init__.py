"""Guard, form, service, redirect."""

from accounts.views.errors import bad_request, forbidden, not_found, server_error

__all__ = ["bad_request", "forbidden", "not_found", "server_error"]
