"""The address of a site, and connections to it."""

import ipaddress
import ssl
from contextlib import suppress
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPSConnection
from typing import Self
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

PATH = "/api/v1"


@dataclass(frozen=True)
class Address:
    """The address of a site. `path` is the path of its API on the host."""

    scheme: str
    host: str
    port: int | None
    path: str

    @classmethod
    def of(cls, url: str) -> Self:
        """Parse a URL, with or without the path of the API. Raises ValueError if it is not the address of a site."""
        with suppress(ValueError):
            parts = urlsplit(url.strip())
            plain = not (parts.username or parts.password or parts.query or parts.fragment)
            if parts.scheme in ("http", "https") and parts.hostname and plain:
                return cls(parts.scheme, parts.hostname, parts.port, parts.path.rstrip("/").removesuffix(PATH) + PATH)
        raise ValueError(f"{url!r} is not the address of a site; it should look like https://evals.example.org.")

    @property
    def is_this_machine(self) -> bool:
        with suppress(ValueError):
            return self.host == "localhost" or ipaddress.ip_address(self.host).is_loopback
        return False

    def connection(self, timeout: float, context: ssl.SSLContext | None) -> HTTPConnection:
        """Return a connection that is not open yet. HTTPS uses the proxy that the environment names, if any."""
        if self.scheme == "http":
            return HTTPConnection(self.host, self.port, timeout=timeout)
        context = context or ssl.create_default_context()
        proxy = None if proxy_bypass(self.host) else getproxies().get("https")
        if not proxy:
            return HTTPSConnection(self.host, self.port, timeout=timeout, context=context)
        through = urlsplit(proxy if "//" in proxy else f"//{proxy}")
        connection = HTTPSConnection(through.hostname or "", through.port, timeout=timeout, context=context)
        connection.set_tunnel(self.host, self.port or 443)
        return connection

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.scheme}://{host}{f':{self.port}' if self.port else ''}{self.path.removesuffix(PATH)}"
