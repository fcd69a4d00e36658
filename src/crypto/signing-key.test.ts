import assert from "node:assert/strict";
import { test } from "node:test";
import { calculateJwkThumbprint, compactVerify } from "jose";
import { sha256Base64url } from "./digest.ts";
import { generateSigningKey, jwkSet, ReadyKeys, type SigningKey } from "./signing-key.ts";

// RFC 7515, appendix A.3.1.
const RFC_PUBLIC = {
	kty: "EC",
	crv: "P-256",
	x: "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
	y: "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0",
};
const RFC_KEY: SigningKey = {
	kid: "rfc7515-a3",
	publicJwk: RFC_PUBLIC,
	privateJwk: { ...RFC_PUBLIC, d: "jpsQnnGQmL-YBIffH1136cspYG6-0iY7X1fCE9-E9LI" },
};
const RFC_TOKEN =
	"eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ.DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q";

test("ES256 verifies the signature of RFC 7515, A.3, and no other", async () => {
	const key = await new ReadyKeys().verifying(RFC_KEY);
	const { payload, protectedHeader } = await compactVerify(RFC_TOKEN, key, { algorithms: ["ES256"] });
	assert.deepEqual(protectedHeader, { alg: "ES256" });
	assert.equal(
		Buffer.from(payload).toString(),
		'{"iss":"joe",\r\n "exp":1300819380,\r\n "http://example.com/is_root":true}',
	);
	await assert.rejects(compactVerify(RFC_TOKEN.replace(".Dt", ".Du"), key));
});

test("thumbprints are those of RFC 7638, 3.1 (RSA) and RFC 9449, 6.1 (P-256)", async () => {
	const rsa = {
		kty: "RSA",
		n: "0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc_BJECPebWKRXjBZCiFV4n3oknjhMstn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FDW2QvzqY368QQMicAtaSqzs8KJZgnYb9c7d0zgdAZHzu6qMQvRL5hajrn1n91CbOpbISD08qNLyrdkt-bFTWhAI4vMQFh6WeZu0fM4lFd2NcRwr3XPksINHaQ-G_xBniIqbw0Ls1jF44-csFCur-kEgU8awapJzKnqDKgw",
		e: "AQAB",
		alg: "RS256",
		kid: "2011-04-29",
	};
	assert.equal(await calculateJwkThumbprint(rsa), "NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs");
	const p256 = {
		kty: "EC",
		crv: "P-256",
		x: "l8tFrhx-34tV3hRICRDY9zCkDlpBhF42UQUfWVAWBFs",
		y: "9VE4jf_Ok_o64zbTTlcuNJajHmt6v9TDVrU0CdvGRDA",
	};
	assert.equal(await calculateJwkThumbprint(p256), "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I");
});

test("a new key is P-256, and its id is the thumbprint of its public key", async () => {
	const { kid, publicJwk, privateJwk } = await generateSigningKey();
	const { x, y } = publicJwk;
	assert.deepEqual(publicJwk, { kty: "EC", crv: "P-256", x, y });
	assert.deepEqual(Object.keys(privateJwk).sort(), ["crv", "d", "kty", "x", "y"]);
	assert.equal(Buffer.from(privateJwk.d, "base64url").length, 32);
	// RFC 7638, 3.2: the required members in lexical order, without space.
	assert.equal(kid, sha256Base64url(`{"crv":"P-256","kty":"EC","x":"${x}","y":"${y}"}`));
	assert.notEqual((await generateSigningKey()).kid, kid);
	assert.deepEqual(JSON.parse(JSON.stringify(privateJwk)), privateJwk);
});

test("the key set contains only public members, even if the stored key has others", () => {
	const careless = { ...RFC_KEY, publicJwk: RFC_KEY.privateJwk };
	assert.deepEqual(jwkSet([careless]), {
		keys: [{ ...RFC_PUBLIC, kid: "rfc7515-a3", use: "sig", alg: "ES256" }],
	});
	assert.deepEqual(jwkSet([]), { keys: [] });
});

test("a key is imported once, and any key other than P-256 is an error", async () => {
	const ready = new ReadyKeys();
	assert.equal(ready.signing(RFC_KEY), ready.signing(RFC_KEY));
	assert.equal(ready.verifying(RFC_KEY), ready.verifying(RFC_KEY));
	assert.equal((await ready.verifying(RFC_KEY)).type, "public");
	assert.equal((await ready.signing(RFC_KEY)).type, "private");
	const broken = { ...RFC_KEY, publicJwk: { ...RFC_PUBLIC, x: "AAAA" } };
	await assert.rejects(ready.verifying(broken));
});
