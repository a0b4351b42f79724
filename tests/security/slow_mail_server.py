"""A mail server that takes its time."""

from __future__ import annotations

import socketserver
import threading
import time


class SlowMailServer(socketserver.ThreadingTCPServer):
    """Takes messages, and thinks for `seconds` about each."""

    allow_reuse_address = daemon_threads = True

    def __init__(self, seconds: float):
        super().__init__(("127.0.0.1", 0), _Conversation)
        self.seconds = seconds
        self.messages: list[str] = []

    @property
    def url(self) -> str:
        return f"smtp://127.0.0.1:{self.server_address[1]}"

    def __enter__(self) -> SlowMailServer:
        threading.Thread(target=self.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.shutdown()
        self.server_close()

    def message_to(self, address: str, *, after: int = 0, seconds: float = 60) -> str:
        """Waits for it."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            if found := [text for text in self.messages[after:] if f"To: {address}" in text]:
                return found[0]
            time.sleep(0.1)
        raise AssertionError(f"No message to {address}.")


class _Conversation(socketserver.StreamRequestHandler):
    server: SlowMailServer

    def handle(self) -> None:
        self._say("220 ready")
        while line := self.rfile.readline().decode().strip().upper():
            if line == "DATA":
                self._say("354 go on")
                text = b"".join(iter(self.rfile.readline, b".\r\n"))
                time.sleep(self.server.seconds)
                self.server.messages.append(text.replace(b"=\r\n", b"").decode())
            self._say("221 bye" if line == "QUIT" else "250 fine")

    def _say(self, line: str) -> None:
        self.wfile.write(f"{line}\r\n".encode())
