from django.core.mail.backends.smtp import EmailBackend

from infrastructure.transactions import let_go_of_connection


class MailServer(EmailBackend):
    """SMTP backend that releases the database connection first, because the server may be slow."""

    def open(self) -> bool | None:
        let_go_of_connection()
        return super().open()
