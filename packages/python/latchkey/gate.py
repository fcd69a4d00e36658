"""Asks the gate of an application about each request, and reads its decision."""

import hashlib
import http.client
import json
import logging
import ssl
import time
from dataclasses import dataclass
from typing import Any, Callable, Dict, Iterable, List, Mapping, Optional, Tuple, Union
from urllib.parse import urlsplit

from .permissions import permits

BODY_MAX_BYTES = 1_048_576
# A connection that was idle for longer may be closed by the service at any moment.
IDLE_MAX_SECONDS = 2.0
# From these headers, frameworks read another method or path. The gate refuses requests that have one.
OVERRIDE_HEADERS = (
    "x-http-method-override",
    "x-http-method",
    "x-method-override",
    "x-original-url",
    "x-rewrite-url",
)
# Headers that a gate reads. Others, such as those of another service, never leave the application.
READ_HEADERS = (
    "accept",
    "access-control-request-headers",
    "access-control-request-method",
    "authorization",
    "content-digest",
    "cookie",
    "dpop",
    "origin",
    "upgrade",
    "x-api-key",
    "x-app-id",
    "x-nonce",
    "x-signature",
    "x-tenant-id",
    "x-timestamp",
    *OVERRIDE_HEADERS,
)
# Headers of a refusal that the caller needs.
REFUSAL_HEADERS = (
    "access-control-allow-credentials",
    "access-control-allow-origin",
    "access-control-expose-headers",
    "content-type",
    "latchkey-reason",
    "latchkey-refusal",
    "latchkey-request-id",
    "location",
    "retry-after",
    "vary",
    "www-authenticate",
)


@dataclass(frozen=True)
class Caller:
    """Who sent a request that may pass."""

    # public, partner, person, or program.
    kind: str
    # None for public.
    id: Optional[str]
    name: str
    # The program that uses the token of a person.
    through: Optional[str]
    permissions: Tuple[str, ...]
    # Whether the caller is a test client, whose requests must have no real effect.
    is_test: bool
    # If a program acts for the person: that program, then the one at which the person signed in; otherwise empty.
    chain: Tuple[str, ...] = ()

    def permits(self, needed: str) -> bool:
        """Whether the permissions of the caller cover the needed one."""
        return permits(self.permissions, needed)


@dataclass(frozen=True)
class Refusal:
    """A response that the application must return in place of its own."""

    status: int
    headers: Mapping[str, str]
    body: bytes


@dataclass(frozen=True)
class GatedRequest:
    method: str
    # Path and query, exactly as on the request line.
    target: str
    # http or https.
    scheme: str
    # The IP address of the caller.
    ip: str
    # All values by lower-case name.
    headers: Mapping[str, str]
    body: bytes


class Gate:
    """The gate of one application. Threads may share it.

    `report` learns why the gate could not decide; default: an error in the log.
    """

    def __init__(
        self,
        url: str,
        application_id: str,
        gate_key: str,
        *,
        timeout_seconds: float = 5.0,
        report: Callable[[Exception], Any] = lambda reason: logging.getLogger("latchkey").error("%s", reason),
    ) -> None:
        for name, value in {"url": url, "application_id": application_id, "gate_key": gate_key}.items():
            if not value:
                raise ValueError(f"{name} is missing")
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or parts.hostname is None:
            raise ValueError("url must begin with https://")
        self._address = (parts.hostname, parts.port)
        self._tls = ssl.create_default_context() if parts.scheme == "https" else None
        self._path = f"/gate/{application_id}/verify"
        self._key = gate_key
        self._timeout = timeout_seconds
        self._report = report
        # Appending and popping are atomic.
        self._idle: List[Tuple[http.client.HTTPConnection, float]] = []

    def decide(self, request: GatedRequest) -> Union[Caller, Refusal]:
        """Never raises: if the gate cannot decide, the request is refused with 503."""
        question = {
            "method": request.method,
            "target": request.target,
            "scheme": request.scheme,
            "ip": request.ip,
            "headers": {name: request.headers[name] for name in READ_HEADERS if name in request.headers},
            "body_sha256": hashlib.sha256(request.body).hexdigest(),
        }
        try:
            return _decision(*self._ask(json.dumps(question).encode()))
        except (OSError, http.client.HTTPException, ValueError, TypeError, KeyError) as reason:
            self._report(reason)
            return refuse(503, "service.unavailable", "the gate is unavailable", {"retry-after": "5"})

    def _ask(self, body: bytes) -> Tuple[int, Mapping[str, str], bytes]:
        """Redirects are not followed, because they would send the key of the gate elsewhere."""
        headers = {
            "accept": "application/problem+json",
            "content-type": "application/json",
            "x-gate-key": self._key,
        }
        connection = self._take()
        try:
            connection.request("POST", self._path, body, headers)
            response = connection.getresponse()
            text = response.read()
        except BaseException:
            connection.close()
            raise
        self._idle.append((connection, time.monotonic()))
        return response.status, {name.lower(): value for name, value in response.getheaders()}, text

    def _take(self) -> http.client.HTTPConnection:
        while True:
            try:
                connection, used_at = self._idle.pop()
            except IndexError:
                return self._connect()
            if time.monotonic() - used_at <= IDLE_MAX_SECONDS:
                return connection
            connection.close()

    def _connect(self) -> http.client.HTTPConnection:
        host, port = self._address
        if self._tls is None:
            return http.client.HTTPConnection(host, port, timeout=self._timeout)
        return http.client.HTTPSConnection(host, port, timeout=self._timeout, context=self._tls)


def _decision(status: int, headers: Mapping[str, str], text: bytes) -> Union[Caller, Refusal]:
    """Raises ValueError, TypeError, or KeyError for a response that is not a decision."""
    if status == 200:
        data = json.loads(text)["data"]
        if data["allowed"] is not True:
            raise ValueError("the gate sent no decision")
        caller = data["caller"]
        return Caller(
            caller["kind"],
            caller["id"],
            caller["name"],
            caller["through"],
            tuple(data["permissions"]),
            headers.get("latchkey-mode") == "test",
            tuple(caller.get("chain", ())),
        )
    code = headers.get("latchkey-refusal")
    # A wrong gate key is not the caller's mistake.
    if status < 400 or code is None or code == "gate.key":
        raise ValueError(f"the gate responded with {status} {code or 'and no decision'}")
    # The gate sends `-` for a header without a value.
    passed_on = {name: headers[name] for name in REFUSAL_HEADERS if headers.get(name, "-") != "-"}
    return Refusal(status, {"cache-control": "no-store", **passed_on}, text)


def refuse(status: int, code: str, detail: str, headers: Optional[Dict[str, str]] = None) -> Refusal:
    """A refusal in the form of the service."""
    own = {
        "cache-control": "no-store",
        "content-type": "application/problem+json",
        "latchkey-refusal": code,
        **(headers or {}),
    }
    return Refusal(status, own, json.dumps({"status": status, "code": code, "detail": detail, "error": detail}).encode())


def too_large() -> Refusal:
    """The rest of the body is still to arrive."""
    return refuse(413, "request.too_large", "the body exceeds 1 MiB", {"connection": "close"})


def joined(lines: Iterable[Tuple[str, str]]) -> Dict[str, str]:
    """All values of each header. A repeated one becomes a value that is not a valid proof."""
    values: Dict[str, List[str]] = {}
    for line, value in lines:
        name = line.lower()
        # Some frameworks read "_" as "-".
        dashed = name.replace("_", "-")
        values.setdefault(dashed if dashed in OVERRIDE_HEADERS else name, []).append(value)
    return {name: ("; " if name == "cookie" else ", ").join(found) for name, found in values.items()}
