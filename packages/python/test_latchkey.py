"""Tests of the package: `python3 -m unittest`. `LATCHKEY_VECTORS` names another file of known answers."""

import asyncio
import base64
import json
import os
import unittest
from email.utils import formatdate
from pathlib import Path
from unittest import mock

from latchkey import Credentials, permits, sign
from latchkey.origins import Origins
from latchkey.signing import _signature

try:
    import cryptography
except ImportError:
    cryptography = None

VECTORS = Path(__file__).parents[2] / "docs" / "signing-vectors.json"
KNOWN = json.loads(Path(os.environ.get("LATCHKEY_VECTORS", VECTORS)).read_text(encoding="utf-8"))
CREDENTIALS = Credentials(**KNOWN["client"])
NOW = 1_760_000_000
SERVICE = "https://auth.example.com"
URL = "https://api.example.com/orders?b=2&a=%2F"
# A signature does not cover the host: none of these may receive one.
FOREIGN = (
    "https://evil.example/",
    "http://api.example.com/",
    "https://api.example.com:444/",
    "https://api.example.com.evil.example/",
    "https://api.example.com@evil.example/",
)
OWN = '{"type":"https://auth.example.com/docs/errors#database.unavailable"}'
SOON = {"Retry-After": "0"}


def at(seconds):
    return {"Date": formatdate(seconds, usegmt=True)}


# Method, responses as (status, headers, body), and the number of requests.
RULES = {
    "wrong clock": ("GET", [(401, at(NOW + 3600), ""), (401, at(NOW + 7200), "")], 2),
    "clock within four minutes": ("GET", [(401, at(NOW + 240), "")], 1),
    "401 without a date": ("GET", [(401, {}, "")], 1),
    "429": ("POST", [(429, SOON, "")], 3),
    "429 for too long": ("GET", [(429, {"Retry-After": "61"}, "")], 1),
    "503 of a safe method": ("PUT", [(503, SOON, ""), (200, {}, "")], 2),
    "503 of an application": ("POST", [(503, SOON, "busy")], 1),
    "503 of the service": ("POST", [(503, SOON, OWN), (200, {}, "")], 2),
    "503 of the gate": ("POST", [(503, {**SOON, "Latchkey-Refusal": "a"}, ""), (200, {}, "")], 2),
    "everything else": ("GET", [(502, SOON, "")], 1),
}


class KnownAnswers(unittest.TestCase):
    def test_signatures(self):
        self.assertGreaterEqual(len(KNOWN["vectors"]), 6)
        for vector in KNOWN["vectors"]:
            headers = sign(
                CREDENTIALS,
                vector["method"],
                vector["target"],
                base64.b64decode(vector["body_base64"]),
                timestamp=int(vector["timestamp"]),
                nonce=vector["nonce"],
            )
            self.assertEqual(headers["X-Signature"], vector["signature"], vector["id"])

    @unittest.skipUnless(cryptography and "ed25519" in KNOWN, "no cryptography here, or no keys in this file")
    def test_keys(self):
        known = KNOWN["ed25519"]
        self.assertGreaterEqual(len(known["vectors"]), 6)
        self.assertGreaterEqual(len(known["rfc8032"]), 3)
        client = {**KNOWN["client"], "secret": None, "private_key": known["private_key_pem"]}
        for vector, expected in zip(KNOWN["vectors"], known["vectors"]):
            headers = sign(
                Credentials(**client),
                vector["method"],
                vector["target"],
                base64.b64decode(vector["body_base64"]),
                timestamp=int(vector["timestamp"]),
                nonce=vector["nonce"],
            )
            self.assertEqual((vector["id"], headers["X-Signature"]), (expected["id"], expected["signature"]))
        for vector in known["rfc8032"]:
            credentials = Credentials("t", "a", "k", private_key=vector["private_key_pem"])
            self.assertEqual(_signature(credentials, bytes.fromhex(vector["message_hex"])).hex(), vector["signature"])
        self.assertNotIn("PRIVATE", repr(Credentials(**client)))
        with self.assertRaisesRegex(ValueError, "^private_key is not an Ed25519 key"):
            sign(Credentials(**{**client, "private_key": "no key"}), "GET", "/")
        with self.assertRaisesRegex(ValueError, "exclude each other"):
            sign(Credentials(**{**client, "secret": "s"}), "GET", "/")

    def test_keys_without_cryptography(self):
        missing = {"cryptography.hazmat.primitives.asymmetric.ed25519": None}
        with mock.patch.dict("sys.modules", missing), self.assertRaisesRegex(ImportError, "pip install cryptography"):
            sign(Credentials("t", "a", "k", private_key="any"), "GET", "/")

    def test_permits(self):
        self.assertGreater(len(KNOWN["permits"]), 50)
        for row in KNOWN["permits"]:
            self.assertEqual(permits(row["held"], row["needed"]), row["permitted"], row)
        self.assertFalse(permits(None, "orders:read"))

    def test_names_what_is_missing(self):
        for secret in ("", None):
            with self.assertRaisesRegex(ValueError, "^secret is missing$"):
                sign(Credentials("t", "a", "k", secret), "GET", "/")
        for secret in ("a\nb", "a "):
            with self.assertRaisesRegex(ValueError, "^secret must be visible ASCII$"):
                sign(Credentials("t", "a", "k", secret), "GET", "/")
        with self.assertRaisesRegex(ValueError, "^X-API-Key is missing$"):
            sign(Credentials("t", "a", "", "s"), "GET", "/")
        self.assertNotIn("hidden", repr(Credentials("t", "a", "k", "hidden")))

    def test_body_limit(self):
        sign(CREDENTIALS, "POST", "/", b"a" * 1_048_576)
        with self.assertRaisesRegex(ValueError, "exceeds 1 MiB"):
            sign(CREDENTIALS, "POST", "/", b"a" * 1_048_577)


class WhereRequestsGo(unittest.TestCase):
    def test_requires_https_except_on_this_machine(self):
        for url in ("https://a.example", "http://127.0.0.1:8080", "http://127.9.9.9", "http://[::1]:1", "http://localhost"):
            Origins(url)
        for url in ("http://a.example", "a.example", "", None, "http://localhost.evil.example", "http://localhost@a.example"):
            with self.assertRaisesRegex(ValueError, "^not "):
                Origins(url)
            with self.assertRaisesRegex(ValueError, "^not "):
                Origins(SERVICE, [url])


try:
    import httpx
except ImportError:
    httpx = None


@unittest.skipUnless(httpx, "no httpx here")
class Httpx(unittest.TestCase):
    def transport(self, responses, sent):
        def respond(request):
            sent.append(dict(request.headers))
            status, headers, body = responses[min(len(sent), len(responses)) - 1]
            return httpx.Response(status, headers=headers, text=body)

        return httpx.MockTransport(respond)

    def auth(self):
        from latchkey.httpx import SignedAuth

        return SignedAuth(CREDENTIALS, SERVICE, origins=[URL], now=lambda: NOW)

    def test_repeats(self):
        for name, (method, responses, count) in RULES.items():
            with self.subTest(name):
                sent = []
                with httpx.Client(transport=self.transport(responses, sent), auth=self.auth()) as client:
                    self.assertEqual(client.request(method, URL).text, responses[-1][2])
                self.assertEqual(len(sent), count)
                self.assertEqual(len({headers["x-nonce"] for headers in sent}), count)

    def test_repeats_asynchronously(self):
        async def call(responses, method, sent):
            async with httpx.AsyncClient(transport=self.transport(responses, sent), auth=self.auth()) as client:
                await client.request(method, URL, content=b"{}")

        for name, (method, responses, count) in RULES.items():
            with self.subTest(name):
                sent = []
                asyncio.run(call(responses, method, sent))
                self.assertEqual(len(sent), count)

    def test_waits_as_long_as_the_service_says(self):
        with mock.patch("time.sleep") as sleep:
            sent = []
            responses = [(429, {"Retry-After": "7"}, ""), (429, {}, ""), (200, {}, "")]
            with httpx.Client(transport=self.transport(responses, sent), auth=self.auth()) as client:
                client.get(URL)
        self.assertEqual([call.args[0] for call in sleep.call_args_list], [7, 2])

    def test_does_not_follow_redirects(self):
        redirect = [(307, {"Location": "https://other.example/"}, "")]
        sent = []
        with httpx.Client(transport=self.transport(redirect, sent), auth=self.auth()) as client:
            self.assertEqual(client.get(URL).status_code, 307)
        self.assertEqual(len(sent), 1)

    def test_signs_for_its_origins_only(self):
        sent = []
        with httpx.Client(transport=self.transport([(200, {}, "")], sent), auth=self.auth()) as client:
            for url in (SERVICE, "https://AUTH.example.com:443/a", "https://api.example.com/b"):
                client.get(url)
            for url in FOREIGN:
                with self.assertRaisesRegex(ValueError, "^not in origins: .*could reuse requests"):
                    client.get(url)
        self.assertEqual(len(sent), 3)

    def test_sends_no_large_body(self):
        sent = []
        with httpx.Client(transport=self.transport([(200, {}, "")], sent), auth=self.auth()) as client:
            with self.assertRaisesRegex(ValueError, "exceeds 1 MiB"):
                client.post(URL, content=b"a" * 1_048_577)
        self.assertEqual(sent, [])


try:
    import requests
    from requests.adapters import HTTPAdapter
except ImportError:
    requests, HTTPAdapter = None, object


class ScriptedAdapter(HTTPAdapter):
    def __init__(self, responses, sent):
        super().__init__()
        self.responses, self.sent = responses, sent

    def send(self, request, **_):
        from io import BytesIO

        from urllib3 import HTTPResponse

        self.sent.append(dict(request.headers))
        status, headers, body = self.responses[min(len(self.sent), len(self.responses)) - 1]
        raw = HTTPResponse(body=BytesIO(body.encode()), status=status, headers=headers, preload_content=False)
        response = self.build_response(request, raw)
        response.connection = self
        return response


@unittest.skipUnless(requests, "no requests here")
class Requests(unittest.TestCase):
    def session(self, responses, sent):
        from latchkey.requests import SignedAuth

        session = requests.Session()
        session.mount("https://", ScriptedAdapter(responses, sent))
        session.auth = SignedAuth(CREDENTIALS, SERVICE, origins=[URL], now=lambda: NOW)
        return session

    def test_repeats(self):
        for name, (method, responses, count) in RULES.items():
            with self.subTest(name):
                sent = []
                response = self.session(responses, sent).request(method, URL, data=b"{}")
                self.assertEqual(response.text, responses[-1][2])
                self.assertEqual(len(sent), count)
                self.assertEqual(len({headers["X-Nonce"] for headers in sent}), count)

    def test_does_not_follow_redirects(self):
        sent = []
        with self.assertRaises(requests.TooManyRedirects):
            self.session([(307, {"Location": "https://other.example/"}, "")], sent).get(URL)
        self.assertEqual(len(sent), 1)

    def test_signs_for_its_origins_only(self):
        sent = []
        session = self.session([(200, {}, "")], sent)
        session.mount("http://", session.get_adapter("https://"))
        for url in (SERVICE, "https://AUTH.example.com:443/a", "https://api.example.com/b"):
            session.get(url)
        for url in FOREIGN:
            with self.assertRaisesRegex(ValueError, "^not in origins: .*could reuse requests"):
                session.get(url)
        self.assertEqual(len(sent), 3)

    def test_sends_no_large_body(self):
        sent = []
        with self.assertRaisesRegex(ValueError, "exceeds 1 MiB"):
            self.session([(200, {}, "")], sent).post(URL, data=b"a" * 1_048_577)
        self.assertEqual(sent, [])


if __name__ == "__main__":
    unittest.main()
