"""Decides whether a refused request is repeated: only one that the service certainly did not execute."""

import re
from email.utils import parsedate_to_datetime
from typing import Any, Callable, Optional

WAIT_MAX_SECONDS = 60
# The service accepts five minutes; within four, the clock is not the cause of a refusal.
SKEW_MAX_SECONDS = 240
# RFC 9110, section 9.2.2: repeating these has the effect of one request.
REPEATABLE = {"GET", "HEAD", "PUT", "DELETE"}


class ServiceClock:
    """The system clock, corrected by that of the service after a refusal."""

    def __init__(self, now: Callable[[], float]) -> None:
        self.now = now
        self.skew_seconds = 0.0

    def timestamp(self) -> int:
        return int(self.now() + self.skew_seconds)


class Attempts:
    """The attempts of one request."""

    def __init__(self, clock: ServiceClock, retries: int) -> None:
        self._clock = clock
        self._retries = retries
        self._count = 0
        self._is_time_corrected = False

    def seconds_to_next(self, method: str, status: int, headers: Any, text: Callable[[], str]) -> Optional[float]:
        """How long to wait before the next attempt; None if the response is final. `headers` ignore case."""
        if self._count >= self._retries:
            return None
        self._count += 1
        if status == 401:
            return self._correct_clock(headers.get("date"))
        if status == 429 or (status == 503 and (method in REPEATABLE or _is_own(headers, text))):
            return _seconds(headers.get("retry-after"), 2 ** (self._count - 1))
        return None

    def _correct_clock(self, date: Optional[str]) -> Optional[float]:
        try:
            skew = parsedate_to_datetime(date or "").timestamp() - self._clock.now()
        except (TypeError, ValueError):
            return None
        if self._is_time_corrected or abs(skew - self._clock.skew_seconds) <= SKEW_MAX_SECONDS:
            return None
        self._is_time_corrected = True
        self._clock.skew_seconds = skew
        return 0.0


def _seconds(text: Optional[str], default: int) -> Optional[float]:
    if text is None:
        return float(default)
    return float(text) if re.fullmatch("[0-9]{1,2}", text) and int(text) <= WAIT_MAX_SECONDS else None


def _is_own(headers: Any, text: Callable[[], str]) -> bool:
    """Whether the service or its gate refused the request, so that no application has seen it."""
    return "latchkey-refusal" in headers or "/docs/errors#" in text()
