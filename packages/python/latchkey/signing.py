"""Signs requests to the open APIs, and to APIs behind a gate."""

import base64
import hashlib
import hmac
import re
import secrets
import time
from dataclasses import dataclass, field
from typing import Dict, Optional

BODY_MAX_BYTES = 1_048_576
WITHOUT_BODY = {"GET", "HEAD", "OPTIONS", "DELETE"}
VISIBLE_ASCII = re.compile(r"[!-~]+")


@dataclass(frozen=True)
class Credentials:
    """An API client. The Secret is used as displayed, including `sk_`, and never sent."""

    tenant_id: str
    app_id: str
    api_key: str
    secret: str = field(repr=False)


def sign(
    credentials: Credentials,
    method: str,
    target: str,
    body: bytes = b"",
    *,
    timestamp: Optional[int] = None,
    nonce: Optional[str] = None,
) -> Dict[str, str]:
    """The headers of one request.

    `target` is path and query, exactly as on the request line. Raises ValueError that names what is missing, or contains
    what no request can, and for a body above 1 MiB.
    """
    if len(body) > BODY_MAX_BYTES:
        raise ValueError("the body exceeds 1 MiB")
    headers = {
        "X-Tenant-ID": credentials.tenant_id,
        "X-App-ID": credentials.app_id,
        "X-API-Key": credentials.api_key,
        "X-Timestamp": str(int(time.time()) if timestamp is None else timestamp),
        "X-Nonce": secrets.token_hex(16) if nonce is None else nonce,
    }
    for name, value in {"target": target, "secret": credentials.secret, **headers}.items():
        if not value:
            raise ValueError(f"{name} is missing")
        if not VISIBLE_ASCII.fullmatch(value):
            raise ValueError(f"{name} must be visible ASCII")
    digest = hashlib.sha256(body)
    lines = "\n".join(["V1-HMAC-SHA256", method, target, *headers.values(), digest.hexdigest()])
    headers["X-Signature"] = hmac.new(credentials.secret.encode(), lines.encode(), hashlib.sha256).hexdigest()
    if body or method not in WITHOUT_BODY:
        headers["Content-Digest"] = f"sha-256=:{base64.b64encode(digest.digest()).decode()}:"
    return headers
