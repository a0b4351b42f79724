"""Errors of the client. No message holds a token."""


class EconEvalsError(Exception):
    """Base class of all errors of the client."""


class Refused(EconEvalsError):
    """The site answered with an error.

    status: HTTP status
    code: a stable word for programs, such as 'invalid_action'
    fields: a sentence for each wrong field of the request
    """

    def __init__(self, status: int, code: str, message: str, fields: dict[str, str] | None = None):
        super().__init__(message)
        self.status, self.code, self.fields = status, code, fields or {}


class NoAnswer(EconEvalsError):
    """The site could not be reached, or its certificate is not trusted."""
