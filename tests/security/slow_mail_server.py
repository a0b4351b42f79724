"""A mail server that takes its time."""

import socketserver
import threading
import time

from tests.waiting import wait_until


class SlowMailServer(socketserver.ThreadingTCPServer):
    """Takes messages, and thinks for `seconds` about each."""

    allow_reuse_address = daemon_threads = True

    def __init__(self, seconds):
        super().__init__(("127.0.0.1", 0), _Conversation)
        self.seconds = seconds
        self.messages = []

    @property
    def url(self):
        return f"smtp://127.0.0.1:{self.server_address[1]}"

    def __enter__(self):
        threading.Thread(target=self.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.shutdown()
        self.server_close()

    def message_to(self, address, after=0):
        """Waits for it."""
        found = lambda: [text for text in self.messages[after:] if f"To: {address}" in text]  # noqa: E731
        wait_until(found, lambda: f"No message to {address}.")
        return found()[0]


class _Conversation(socketserver.StreamRequestHandler):
    def handle(self):
        self._say("220 ready")
        while line := self.rfile.readline().decode().strip().upper():
            if line == "DATA":
                self._say("354 go on")
                text = b"".join(iter(self.rfile.readline, b".\r\n"))
                time.sleep(self.server.seconds)
                self.server.messages.append(text.replace(b"=\r\n", b"").decode())
            self._say("221 bye" if line == "QUIT" else "250 fine")

    def _say(self, line):
        self.wfile.write(f"{line}\r\n".encode())
