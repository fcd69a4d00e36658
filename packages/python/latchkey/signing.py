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
    """An API client. It signs either with the Secret, as displayed, including `sk_`, or with `private_key`.

    The key is Ed25519 as PKCS#8 PEM, and needs the package `cryptography`. Neither is ever sent.
    """

    tenant_id: str
    app_id: str
    api_key: str
    secret: Optional[str] = field(default=None, repr=False)
    private_key: Optional[str] = field(default=None, repr=False)


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
    what no request can, and for a body above 1 MiB; ImportError for a `private_key` without the package `cryptography`.
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
    if credentials.secret and credentials.private_key:
        raise ValueError("secret and private_key exclude each other")
    checked = {"target": target, **({} if credentials.private_key else {"secret": credentials.secret}), **headers}
    for name, value in checked.items():
        if not value:
            raise ValueError(f"{name} is missing")
        if not VISIBLE_ASCII.fullmatch(value):
            raise ValueError(f"{name} must be visible ASCII")
    digest = hashlib.sha256(body)
    scheme = "V1-ED25519" if credentials.private_key else "V1-HMAC-SHA256"
    lines = "\n".join([scheme, method, target, *headers.values(), digest.hexdigest()])
    headers["X-Signature"] = _signature(credentials, lines.encode()).hex()
    if body or method not in WITHOUT_BODY:
        headers["Content-Digest"] = f"sha-256=:{base64.b64encode(digest.digest()).decode()}:"
    return headers


def _signature(credentials: Credentials, text: bytes) -> bytes:
    if not credentials.private_key:
        return hmac.new((credentials.secret or "").encode(), text, hashlib.sha256).digest()
    try:
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
        from cryptography.hazmat.primitives.serialization import load_pem_private_key
    except ImportError as error:
        raise ImportError("private_key needs the package cryptography: pip install cryptography") from error
    try:
        key = load_pem_private_key(credentials.private_key.encode(), None)
    except (ValueError, TypeError):
        # The message of the library could quote the key.
        key = None
    if not isinstance(key, Ed25519PrivateKey):
        raise ValueError("private_key is not an Ed25519 key as PKCS#8 PEM") from None
    return key.sign(text)
