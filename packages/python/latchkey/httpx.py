"""Signs the requests of httpx clients, synchronous and asynchronous."""

import asyncio
import time
from typing import Any, AsyncGenerator, Callable, Generator, Iterable

import httpx

from .origins import Origins
from .repeating import Attempts, ServiceClock
from .signing import Credentials, sign


class SignedAuth(httpx.Auth):
    """`auth=` of httpx. Signs requests to the origin of `url`, that of the service, and of `origins`, such as an API behind
    a gate; any other raises ValueError before it is sent.

    A refusal for the clock is repeated once with the time of the service. 429, and 503 where repeating is safe, are
    repeated after `Retry-After`, at most 60 seconds. Every attempt has its own nonce. Leave `follow_redirects` at its
    default, False: a redirect that was followed raises httpx.TooManyRedirects.
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

    def sync_auth_flow(self, request: httpx.Request) -> Generator[httpx.Request, httpx.Response, None]:
        request.read()
        steps = self._steps(request)
        next(steps)
        while True:
            response = yield request
            response.read()
            try:
                time.sleep(steps.send(response))
            except StopIteration:
                return

    async def async_auth_flow(self, request: httpx.Request) -> AsyncGenerator[httpx.Request, httpx.Response]:
        await request.aread()
        steps = self._steps(request)
        next(steps)
        while True:
            response = yield request
            await response.aread()
            try:
                await asyncio.sleep(steps.send(response))
            except StopIteration:
                return

    def _steps(self, request: httpx.Request) -> Generator[Any, httpx.Response, None]:
        """Signs the request for each attempt; receives the response and yields the seconds to wait."""
        self._origins.check(request.url.scheme, request.url.host, request.url.port)
        attempts = Attempts(self._clock, self._retries)
        target = request.url.raw_path.decode("ascii")
        seconds: Any = 0.0
        while seconds is not None:
            timestamp = self._clock.timestamp()
            headers = sign(self._credentials, request.method, target, request.content, timestamp=timestamp)
            request.headers.update(headers)
            response = yield seconds
            if response.request is not request:
                raise httpx.TooManyRedirects("redirects of signed requests are not followed", request=request)
            seconds = attempts.seconds_to_next(
                request.method, response.status_code, response.headers, lambda: response.text
            )
