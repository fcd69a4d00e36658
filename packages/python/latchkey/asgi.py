"""ASGI middleware that asks a gate: FastAPI, Starlette, and others."""

import asyncio
from typing import Any, Awaitable, Callable, Dict, Optional

from .gate import BODY_MAX_BYTES, Caller, Gate, GatedRequest, Refusal, joined, too_large

Message = Dict[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]


class GateMiddleware:
    """Runs the application only for requests that may pass. It sets `request.state.caller`.

    The IP address and the scheme are those of the server, such as `uvicorn --proxy-headers`. A WebSocket is decided once,
    before it is accepted.
    """

    def __init__(self, app: Callable[[Any, Receive, Send], Awaitable[None]], gate: Gate) -> None:
        self._app = app
        self._gate = gate

    async def __call__(self, scope: Any, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            return await self._app(scope, receive, send)
        body: Optional[bytes] = b""
        if scope["type"] == "http":
            try:
                body = await _read(receive)
            except _Disconnected:
                return None
        decision = too_large() if body is None else await asyncio.to_thread(self._gate.decide, _described(scope, body))
        if isinstance(decision, Refusal):
            return await _send_refusal(decision, scope, send)
        state: Dict[str, Optional[Caller]] = {**scope.get("state", {}), "caller": decision}
        if scope["type"] != "http":
            return await self._app({**scope, "state": state}, receive, send)
        return await self._app({**scope, "state": state}, _replayed(body or b"", receive), send)


class _Disconnected(Exception):
    pass


async def _read(receive: Receive) -> Optional[bytes]:
    """The whole body; None above 1 MiB."""
    body = b""
    while True:
        message = await receive()
        if message["type"] != "http.request":
            raise _Disconnected
        body += message.get("body", b"")
        if len(body) > BODY_MAX_BYTES:
            return None
        if not message.get("more_body", False):
            return body


def _replayed(body: bytes, receive: Receive) -> Receive:
    messages = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive_again() -> Message:
        return messages.pop() if messages else await receive()

    return receive_again


def _described(scope: Any, body: bytes) -> GatedRequest:
    path = scope.get("raw_path")
    if path is None:
        # The decoded path would differ from the one that the caller signed, and the application may decode it again.
        raise RuntimeError("the server must provide raw_path, as uvicorn and hypercorn do")
    query = scope["query_string"]
    return GatedRequest(
        # A WebSocket begins as a GET with Upgrade.
        method=scope.get("method", "GET"),
        target=(path + (b"?" + query if query else b"")).decode("latin-1"),
        scheme={"ws": "http", "wss": "https"}.get(scope["scheme"], scope["scheme"]),
        ip=(scope.get("client") or ("", 0))[0],
        headers=joined((name.decode("latin-1"), value.decode("latin-1")) for name, value in scope["headers"]),
        body=body,
    )


async def _send_refusal(refusal: Refusal, scope: Any, send: Send) -> None:
    if scope["type"] == "websocket":
        # Before it is accepted: the server responds with 403.
        return await send({"type": "websocket.close", "code": 1008})
    headers = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in refusal.headers.items()]
    headers.append((b"content-length", str(len(refusal.body)).encode()))
    await send({"type": "http.response.start", "status": refusal.status, "headers": headers})
    await send({"type": "http.response.body", "body": refusal.body})
