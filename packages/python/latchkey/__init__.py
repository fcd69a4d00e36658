"""Signed calls to Latchkey. Standard library only; `latchkey.httpx` and `latchkey.requests` need those packages."""

from .permissions import permits
from .signing import Credentials, sign

__all__ = ["Credentials", "permits", "sign"]
