"""Signs the requests of the package requests."""

import time
from typing import Any, Callable, Iterable
from urllib.parse import urlsplit

import requests
from requests.auth import AuthBase

from .origins import Origins
from .repeating import Attempts, ServiceClock
from .signing import BODY_MAX_BYTES, Credentials, sign


class SignedAuth(AuthBase):
    """`auth=` of requests. Signs requests to the origin of `url`, that of the service, and of `origins`, such as an API
    behind a gate; any other raises ValueError before it is sent.

    A refusal for the clock is repeated once with the time of the service. 429, and 503 where repeating is safe, are
    repeated after `Retry-After`, at most 60 seconds. Every attempt has its own nonce. A redirect raises
    requests.TooManyRedirects, because requests would send the signature to the other URL.
    """

    def __init__(
        self,
        credentials: Credentials,
        url: str,
        *,
        origins: Iterable[str] = (),
        retries: int = 2,
        now: Callable[[], float] = time.time,
    ) -> None:
        self._credentials = credentials
        self._origins = Origins(url, origins)
        self._retries = retries
        self._clock = ServiceClock(now)

    def __call__(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        parts = urlsplit(request.url or "")
        self._origins.check(parts.scheme, parts.hostname or "", parts.port)
        body: Any = request.body
        if body is not None and not isinstance(body, (str, bytes)):
            # One byte more than allowed, which `sign` refuses.
            request.prepare_body(body.read(BODY_MAX_BYTES + 1), None)
        self._sign(request)
        attempts = Attempts(self._clock, self._retries)

        def repeat(response: requests.Response, **options: Any) -> requests.Response:
            return self._repeat(attempts, response, options)

        request.register_hook("response", repeat)
        return request

    def _sign(self, request: requests.PreparedRequest) -> None:
        body = request.body or b""
        request.headers.update(
            sign(
                self._credentials,
                request.method or "",
                request.path_url,
                body.encode() if isinstance(body, str) else body,
                timestamp=self._clock.timestamp(),
            )
        )

    def _repeat(self, attempts: Attempts, response: Any, options: Any) -> requests.Response:
        while True:
            if response.is_redirect:
                raise requests.TooManyRedirects("redirects of signed requests are not followed", response=response)
            seconds = attempts.seconds_to_next(
                response.request.method, response.status_code, response.headers, lambda: response.text
            )
            if seconds is None:
                return response
            response.content  # Reads the rest, so that the connection can be used again.
            response.close()
            time.sleep(seconds)
            request = response.request.copy()
            self._sign(request)
            next_response = response.connection.send(request, **options)
            next_response.request = request
            response = next_response
