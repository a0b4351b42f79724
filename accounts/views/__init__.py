"""Guard, form, service, redirect."""

from accounts.views.errors import bad_request, csrf_failure, forbidden, not_found, server_error

__all__ = ["bad_request", "csrf_failure", "forbidden", "not_found", "server_error"]
