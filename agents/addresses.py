"""Protection against requests to private addresses (SSRF): checks of the network addresses of endpoints.

A host name is looked up only once. A second lookup for the connection could give another address (DNS rebinding), so
`AddressPolicy.addresses` returns the addresses to connect to. Standard library only.
"""

import ipaddress
import re
import socket
from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import SplitResult, urlsplit

Resolver = Callable[[str, int], list[str]]

NAME = re.compile(r"(?!-)[a-z0-9_-]{1,63}(?<!-)(\.(?!-)[a-z0-9_-]{1,63}(?<!-))*\.?", re.IGNORECASE)
PLAIN_URL = re.compile(r"https?://[^\s\\@?#]+(/[^\s\\?#]*)?", re.ASCII | re.IGNORECASE)
NUMERIC = re.compile(r"\d+|0x[0-9a-f]*", re.IGNORECASE)
LOWEST_OPEN_PORT = 1024

IPV6_IN_USE = ipaddress.ip_network("2000::/3")
NAT64 = ipaddress.ip_network("64:ff9b::/96")
RESERVED_NETWORKS = [
    ipaddress.ip_network("192.0.0.0/24"),  # protocols, and the metadata of an Oracle machine
    ipaddress.ip_network("192.88.99.0/24"),  # relays into 6to4
    ipaddress.ip_network("168.63.129.16/32"),  # the host of an Azure machine, although the address is public
    ipaddress.ip_network("2001::/23"),  # Teredo, ORCHID and other tunnels and identifiers
    ipaddress.ip_network("2002::/16"),  # 6to4, which leads to the IPv4 address in it
    ipaddress.ip_network("3fff::/20"),  # documentation
]


class AddressRefused(Exception):
    """This address is not allowed. The message is one plain sentence."""


def is_public(address: str) -> bool:
    """Whether an IP address, as text, belongs to the public internet and not to a private network."""
    try:
        ip = ipaddress.ip_address(address)
    except ValueError:
        return False
    if isinstance(ip, ipaddress.IPv6Address):
        inner = ip.ipv4_mapped or (ipaddress.IPv4Address(int(ip) & 0xFFFFFFFF) if ip in NAT64 else None)
        if ip.scope_id or (inner is None and ip not in IPV6_IN_USE):
            return False
        if inner is not None:
            return is_public(str(inner))
    return ip.is_global and not ip.is_multicast and not any(ip in network for network in RESERVED_NETWORKS)


def look_up(host: str, port: int) -> list[str]:
    """All addresses of a host, in the order to try them. Raises OSError if there is none."""
    try:
        return [str(info[4][0]) for info in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)]
    except UnicodeError:
        raise OSError("The name of the host cannot be looked up.") from None


@dataclass(frozen=True)
class AddressPolicy:
    """Decides to which addresses a client may connect. Frozen, because it is a cache key of HTTP clients.

    allows: whether an IP address is allowed
    resolve: looks up the addresses of a host
    """

    allows: Callable[[str], bool] = is_public
    resolve: Resolver = look_up

    def addresses(self, host: str, port: int) -> list[str]:
        """The addresses of a host. Raises AddressRefused if one is not allowed, OSError if the host has none."""
        if port < LOWEST_OPEN_PORT and port not in (80, 443):
            raise AddressRefused(f"Port {port} belongs to another kind of server; use 80, 443 or one from 1024 on.")
        addresses = list(dict.fromkeys(self.resolve(host.strip("[]"), port)))
        if not addresses:
            raise OSError("The host has no address.")
        # All addresses must be allowed: otherwise the other side could influence which one is tried.
        if not all(map(self.allows, addresses)):
            raise AddressRefused(
                "This address is private. Set ECONEVALS_ALLOW_PRIVATE_ENDPOINTS=1 to allow endpoints on this network."
            )
        return addresses


def parts_of(saved: str) -> SplitResult:
    """Split a saved address into its parts; all are empty if it is invalid.

    The address was checked when it was entered, but perhaps by an older version of this code.
    """
    try:
        return urlsplit(saved)
    except ValueError:
        return SplitResult("", "", "", "", "")


def is_within(address: str, host: str) -> bool:
    """Whether a saved address is on a host or a subdomain of it, such as eu.models.example for models.example."""
    return f".{parts_of(address).hostname}".endswith(f".{host}")


def plain_url(text: str) -> str:
    """Return the URL without a trailing slash. Raises AddressRefused if parsers could disagree about it."""
    url = text.strip(" ").rstrip("/")
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        raise AddressRefused("This is not a web address.") from None
    is_plain = url.isascii() and PLAIN_URL.fullmatch(url) and not any(ord(c) < 32 or ord(c) == 127 for c in url)
    refusals = {
        "The address must start with http:// or https:// and name a host.": (
            parts.scheme not in {"http", "https"} or not host
        ),
        "The address must not contain a user name, a query or a fragment.": (
            "@" in parts.netloc or parts.query or parts.fragment or "?" in url or "#" in url
        ),
        "The address must consist of plain letters and digits, without spaces or backslashes.": not is_plain,
        "The port must be a number from 1 to 65535.": port == 0 or parts.netloc.endswith(":"),
    }
    for sentence, is_refused in refusals.items():
        if is_refused:
            raise AddressRefused(sentence)
    _check_host(host, bracketed="[" in parts.netloc)
    return url


def _check_host(host: str, *, bracketed: bool) -> None:
    if bracketed:
        try:
            ipaddress.IPv6Address(host)
        except ValueError:
            raise AddressRefused("This is not an IPv6 address.") from None
        if "%" in host:
            raise AddressRefused("The address must not name a network interface.")
        return
    if len(host) > 253 or not NAME.fullmatch(host):
        raise AddressRefused("The name of the host may hold only letters a to z, digits, hyphens and dots.")
    if NUMERIC.fullmatch(host.rstrip(".").rpartition(".")[2]):
        # Parsers read 127.1, 0x7f.1, 2130706433 and 010.0.0.1 in different ways.
        try:
            ipaddress.IPv4Address(host)
        except ValueError:
            raise AddressRefused("Write an IP address as four decimal numbers, such as 203.0.113.7.") from None
