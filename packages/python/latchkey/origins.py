"""Where signed requests may go: a signature does not cover the host."""

import ipaddress
from typing import Iterable
from urllib.parse import urlsplit

PORTS = {"http": 80, "https": 443}


class Origins:
    """The origin of the service, and the listed ones. Raises ValueError for a URL that is neither https nor on this machine."""

    def __init__(self, url: str, others: Iterable[str] = ()) -> None:
        self._allowed = [_allowed(each) for each in (url, *others)]

    def check(self, scheme: str, host: str, port: object) -> None:
        """Raises ValueError for any other origin: a recipient of a signed request could send it to the service."""
        if (scheme, host.lower(), port or PORTS.get(scheme)) not in self._allowed:
            raise ValueError(f"not in origins: {scheme}://{host} (could reuse requests)")


def _allowed(url: str) -> tuple:
    try:
        parts = urlsplit(url)
        port = parts.port
    except (ValueError, AttributeError, TypeError):
        raise ValueError(f"not a URL: {url}") from None
    if not parts.hostname or not (parts.scheme == "https" or (parts.scheme == "http" and _is_loopback(parts.hostname))):
        raise ValueError(f"not https: {url}")
    return parts.scheme, parts.hostname, port or PORTS[parts.scheme]


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
