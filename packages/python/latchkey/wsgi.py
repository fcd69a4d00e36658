"""WSGI middleware that asks a gate: Flask and others."""

from http import HTTPStatus
from io import BytesIO
from typing import Any, Callable, Dict, Iterable, Optional

from .gate import BODY_MAX_BYTES, READ_HEADERS, Gate, GatedRequest, Refusal, refuse, too_large

CALLER = "latchkey.caller"


class GateMiddleware:
    """Runs the application only for requests that may pass. It sets `environ["latchkey.caller"]`.

    The IP address and the scheme are those of the environment, which `ProxyFix` of Werkzeug corrects behind a proxy.
    """

    def __init__(self, app: Callable[..., Iterable[bytes]], gate: Gate) -> None:
        self._app = app
        self._gate = gate

    def __call__(self, environ: Dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        body = _read(environ)
        decision = body if isinstance(body, Refusal) else self._gate.decide(_described(environ, body))
        if isinstance(decision, Refusal):
            # Headers of the connection belong to the server (PEP 3333).
            headers = [(name, value) for name, value in decision.headers.items() if name != "connection"]
            headers.append(("content-length", str(len(decision.body))))
            start_response(f"{decision.status} {HTTPStatus(decision.status).phrase}", headers)
            return [decision.body]
        environ[CALLER] = decision
        return self._app(environ, start_response)


def _read(environ: Dict[str, Any]) -> Any:
    """The whole body, which is put back for the application, or a refusal."""
    length: Optional[int] = int(environ.get("CONTENT_LENGTH") or -1)
    if length == -1:
        # Without a length, only some servers say where the body ends. With the others, the application gets no body.
        length = BODY_MAX_BYTES + 1 if environ.get("wsgi.input_terminated") else 0
    if environ.get("CONTENT_LENGTH") and length > BODY_MAX_BYTES:
        return too_large()
    body = environ["wsgi.input"].read(length) if length else b""
    if len(body) > BODY_MAX_BYTES:
        return too_large()
    if environ.get("CONTENT_LENGTH") and len(body) < length:
        return refuse(400, "request.malformed", "the body is shorter than Content-Length")
    environ["wsgi.input"] = BytesIO(body)
    environ["CONTENT_LENGTH"] = str(len(body))
    environ.pop("HTTP_TRANSFER_ENCODING", None)
    return body


def _described(environ: Dict[str, Any], body: bytes) -> GatedRequest:
    target = environ.get("REQUEST_URI") or environ.get("RAW_URI")
    if not target:
        # The decoded path would differ from the one that the caller signed.
        raise RuntimeError("the server must provide REQUEST_URI or RAW_URI, as Werkzeug, gunicorn, and uWSGI do")
    names = {name: "HTTP_" + name.upper().replace("-", "_") for name in READ_HEADERS}
    return GatedRequest(
        method=environ["REQUEST_METHOD"],
        target=target,
        scheme=environ["wsgi.url_scheme"],
        ip=environ.get("REMOTE_ADDR", ""),
        headers={name: environ[key] for name, key in names.items() if key in environ},
        body=body,
    )
