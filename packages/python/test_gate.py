"""Tests of the gate: `python3 -m unittest`. A server on loopback plays the service. `LATCHKEY_VECTORS` names another file of
known answers."""

import asyncio
import base64
import io
import json
import os
import threading
import unittest
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from latchkey.asgi import GateMiddleware as AsgiGate
from latchkey.gate import BODY_MAX_BYTES, Caller, Gate, GatedRequest, Refusal, joined
from latchkey.wsgi import GateMiddleware as WsgiGate

VECTORS = Path(__file__).parents[2] / "docs" / "signing-vectors.json"
KNOWN = json.loads(Path(os.environ.get("LATCHKEY_VECTORS", VECTORS)).read_text(encoding="utf-8"))["gate"]
PASSES = KNOWN["decided"][0]["response"]
ASKED = GatedRequest("GET", "/", "https", "203.0.113.7", {}, b"")


class Service(ThreadingHTTPServer):
    """Responds with `response`, and keeps what it was asked."""

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), _Handler)
        self.response = PASSES
        self.requests = []
        self.connections = 0
        self.url = f"http://127.0.0.1:{self.server_address[1]}"

    def get_request(self):
        self.connections += 1
        return super().get_request()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        self.server.requests.append((self.path, dict(self.headers), json.loads(body)))
        response = self.server.response
        content = response["body"].encode()
        self.send_response_only(response["status"])
        for name, value in {**response["headers"], "content-length": str(len(content))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    def do_GET(self):
        self.server.requests.append((self.path, dict(self.headers), None))
        self.send_error(500)

    def log_message(self, format, *args):
        pass


class GateTest(unittest.TestCase):
    def setUp(self):
        self.service = Service()
        threading.Thread(target=self.service.serve_forever, daemon=True).start()
        self.addCleanup(self.service.server_close)
        self.addCleanup(self.service.shutdown)
        self.reported = []
        self.gate = Gate(self.service.url, "a1", "gk_1", report=self.reported.append)

    def test_descriptions_from_asgi(self):
        for vector in KNOWN["asked"]:
            with self.subTest(vector["id"]):
                path, _, query = vector["target"].partition("?")
                scope = {
                    "type": "http",
                    "method": vector["method"],
                    "raw_path": path.encode(),
                    "query_string": query.encode(),
                    "scheme": vector["scheme"],
                    "client": (vector["ip"], 1),
                    "headers": [(name.lower().encode(), value.encode()) for name, value in vector["headers"]],
                }
                body = base64.b64decode(vector["body_base64"])
                seen = run_asgi(self.gate, scope, [body[:1], body[1:]])
                self.assertEqual(self.service.requests.pop()[2], vector["sent"])
                self.assertEqual((seen["body"], seen["caller"].name), (body, "Buyer"))

    def test_descriptions_from_wsgi(self):
        for vector in KNOWN["asked"]:
            with self.subTest(vector["id"]):
                body = base64.b64decode(vector["body_base64"])
                environ = {
                    "REQUEST_METHOD": vector["method"],
                    "REQUEST_URI": vector["target"],
                    "REMOTE_ADDR": vector["ip"],
                    "wsgi.url_scheme": vector["scheme"],
                    "wsgi.input": io.BytesIO(body + b"more"),
                    "CONTENT_LENGTH": str(len(body)),
                }
                # Servers join repeated headers.
                for name, value in joined(vector["headers"]).items():
                    environ["HTTP_" + name.upper().replace("-", "_")] = value
                seen = run_wsgi(self.gate, environ)
                self.assertEqual(self.service.requests.pop()[2], vector["sent"])
                self.assertEqual((seen["body"], seen["caller"].name), (body, "Buyer"))

    def test_decisions(self):
        for vector in KNOWN["decided"]:
            with self.subTest(vector["id"]):
                self.service.response = vector["response"]
                self.reported.clear()
                decision = self.gate.decide(ASKED)
                self.assertEqual(self.service.requests.pop()[0], "/gate/a1/verify")
                self.assertEqual(self.service.requests, [])
                if "caller" in vector:
                    lists = {name: tuple(vector["caller"][name]) for name in ("permissions", "chain")}
                    known = {**vector["caller"], **lists}
                    self.assertEqual(decision, Caller(**known))
                    continue
                self.assertIsInstance(decision, Refusal)
                found = {"status": decision.status, "headers": decision.headers}
                self.assertEqual(found, vector["refusal"])
                is_own = vector["response"]["headers"].get("latchkey-refusal", "gate.key") == "gate.key"
                self.assertEqual(decision.body == vector["response"]["body"].encode(), not is_own)
                self.assertEqual(len(self.reported), int(is_own))

    def test_key_and_connection(self):
        for _ in range(3):
            self.gate.decide(ASKED)
        self.assertEqual({headers["x-gate-key"] for _, headers, _ in self.service.requests}, {"gk_1"})
        self.assertEqual(self.service.connections, 1)

    def test_unavailable(self):
        with Service() as closed:
            url = closed.url
        silent = Gate(url, "a1", "gk_1", report=self.reported.append)
        decision = silent.decide(ASKED)
        self.assertEqual((decision.status, decision.headers["retry-after"]), (503, "5"))
        self.assertEqual(len(self.reported), 1)

    def test_slow(self):
        with ThreadingHTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler) as slow:
            url = f"http://127.0.0.1:{slow.server_address[1]}"
            decision = Gate(url, "a1", "gk_1", timeout_seconds=0.1, report=self.reported.append).decide(ASKED)
        self.assertEqual(decision.status, 503)

    def test_limit(self):
        for extra, status in ((0, 200), (1, 413)):
            body = b"a" * (BODY_MAX_BYTES + extra)
            for seen in (
                run_asgi(self.gate, scope(), [body]),
                run_wsgi(self.gate, environ(body)),
                run_wsgi(self.gate, {**environ(body), "CONTENT_LENGTH": "", "wsgi.input_terminated": True}),
            ):
                self.assertEqual(seen["status"], status)
                self.assertEqual("caller" in seen, status == 200)
        self.assertEqual(len(self.service.requests), 3)

    def test_incomplete_bodies(self):
        seen = run_wsgi(self.gate, {**environ(b"abc"), "CONTENT_LENGTH": "4"})
        self.assertEqual(seen["status"], 400)
        self.assertEqual(run_asgi(self.gate, scope(), None), {})
        # Without a length the server gives no body, so the application gets none either.
        seen = run_wsgi(self.gate, {**environ(b"abc"), "CONTENT_LENGTH": ""})
        self.assertEqual((seen["status"], seen["body"]), (200, b""))

    def test_servers_that_hide_the_target(self):
        with self.assertRaisesRegex(RuntimeError, "raw_path"):
            run_asgi(self.gate, {**scope(), "raw_path": None}, [b""])
        with self.assertRaisesRegex(RuntimeError, "REQUEST_URI"):
            run_wsgi(self.gate, {**environ(b""), "REQUEST_URI": ""})
        self.assertEqual(self.service.requests, [])

    def test_websocket(self):
        opened = {**scope(), "type": "websocket", "scheme": "wss", "headers": [(b"upgrade", b"websocket")]}
        del opened["method"]
        self.assertEqual(run_asgi(self.gate, opened, None)["caller"].kind, "partner")
        sent = self.service.requests.pop()[2]
        self.assertEqual((sent["method"], sent["scheme"], sent["headers"]), ("GET", "https", {"upgrade": "websocket"}))
        self.service.response = {"status": 403, "headers": {"latchkey-refusal": "gate.origin"}, "body": ""}
        self.assertEqual(run_asgi(self.gate, opened, None), {"closed": 1008})

    def test_options(self):
        for position, name in enumerate(("url", "application_id", "gate_key")):
            values = ["https://auth.example.com", "a1", "gk_1"]
            values[position] = ""
            with self.assertRaisesRegex(ValueError, f"{name} is missing"):
                Gate(*values)
        with self.assertRaisesRegex(ValueError, "url must begin"):
            Gate("auth.example.com", "a1", "gk_1")


def scope():
    return {
        "type": "http",
        "method": "POST",
        "raw_path": b"/orders",
        "query_string": b"",
        "scheme": "https",
        "client": ("203.0.113.7", 1),
        "headers": [],
    }


def environ(body):
    return {
        "REQUEST_METHOD": "POST",
        "REQUEST_URI": "/orders",
        "wsgi.url_scheme": "https",
        "wsgi.input": io.BytesIO(body),
        "CONTENT_LENGTH": str(len(body)),
    }


def run_asgi(gate, scope, chunks):
    """What the application and its caller see. `chunks`: None for a client that disconnected."""
    seen = {}
    messages = [{"type": "http.request", "body": chunk, "more_body": True} for chunk in chunks or []]
    if chunks is not None:
        messages[-1]["more_body"] = False
    messages.append({"type": "http.disconnect"})

    async def receive():
        return messages.pop(0)

    async def send(message):
        if message["type"] == "websocket.close":
            seen["closed"] = message["code"]
        elif message["type"] == "http.response.start":
            seen["status"] = message["status"]

    async def app(scope, receive, send):
        seen["caller"] = scope["state"]["caller"]
        if scope["type"] == "http":
            message = await receive()
            assert not message["more_body"]
            seen["body"] = message["body"]
            assert (await receive())["type"] == "http.disconnect"
            await send({"type": "http.response.start", "status": 200})

    asyncio.run(AsgiGate(app, gate)(scope, receive, send))
    return seen


def run_wsgi(gate, environ):
    seen = {}

    def app(environ, start_response):
        seen["caller"] = environ["latchkey.caller"]
        seen["body"] = environ["wsgi.input"].read()
        start_response("200 OK", [])
        return []

    def start_response(status, headers):
        seen["status"] = int(status.split(" ")[0])

    list(WsgiGate(app, gate)(environ, start_response))
    return seen


if __name__ == "__main__":
    unittest.main()
