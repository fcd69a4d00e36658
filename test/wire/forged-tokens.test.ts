// Sends forged access tokens to GET /api/v1/users/me: each returns 401 with the same message. Some are signed with the
// service's own key, to test each claim by itself.

import assert from "node:assert/strict";
import {
	createHmac,
	createPublicKey,
	createSign,
	generateKeyPairSync,
	type KeyObject,
	randomBytes,
	sign,
} from "node:crypto";
import { describe, it } from "node:test";
import { randomToken } from "../../src/crypto/random.ts";
import {
	decodePart,
	encodeText,
	es256,
	forgeToken,
	type Signer,
	signingKeyOf,
	signParts,
} from "../harness/openid/forge-token.ts";
import { addPerson, signInAgain } from "../harness/people/people.ts";
import { addPersonWithTotp, passwordStep } from "../harness/people/second-factors.ts";
import { addTenant } from "../harness/people/tenants.ts";
import { fixture, setup, testService } from "../harness/runs/fixture.ts";

const ME = "/api/v1/users/me";
const ABSENT_ID = "01a1fbb8-cd8c-7000-a430-a692e481d229";
/** The order of P-256. */
const ORDER = Buffer.from("ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551", "hex");

let ownKey: KeyObject;
let jwk: Record<string, string>;
const stranger = generateKeyPairSync("ec", { namedCurve: "P-256" });

const service = testService();
const person = fixture(() => addPerson(service, "ada"));
setup(async () => {
	ownKey = await signingKeyOf(service);
	const { body } = await service.call("GET", "/.well-known/jwks.json");
	assert.ok(body.keys[0]);
	jwk = body.keys[0];
});

/** Sends all concurrently: those with an unknown key id wait for the same reload of the keys. */
async function assertRefused(tokens: Record<string, string>): Promise<void> {
	await Promise.all(
		Object.entries(tokens).map(async ([what, token]) => {
			const response = await service.call("GET", ME, { headers: { authorization: `Bearer ${token}` } });
			assert.equal(response.status, 401, what);
			assert.equal(response.headers["www-authenticate"], "Bearer", what);
			assert.deepEqual(Object.keys(response.body), ["error"], what);
		}),
	);
	const good = await service.call("GET", ME, { token: person.token });
	assert.equal(good.status, 200, "the real token is still good");
}

const forge = (changes: Parameters<typeof forgeToken>[1], signer: Signer) =>
	forgeToken(person.token, changes, signer);
const hmac =
	(secret: string | Buffer): Signer =>
	(input) =>
		createHmac("sha256", secret).update(input).digest();
const unsigned: Signer = () => Buffer.alloc(0);
const parts = (): [string, string, string] => person.token.split(".") as [string, string, string];

describe("a token with a forged algorithm returns 401", () => {
	it("for none in every spelling, with and without a signature", async () => {
		const tokens: Record<string, string> = {};
		const claims = { roles: ["admin"], sub: ABSENT_ID };
		for (const alg of ["none", "None", "NONE", "nOnE", "none ", "", null, 0, ["none"], undefined]) {
			const header = { alg };
			tokens[`${JSON.stringify(alg)} without signature`] = forge({ header, claims }, unsigned);
			tokens[`${JSON.stringify(alg)} with the real signature`] = forge({ header }, () =>
				Buffer.from(parts()[2], "base64url"),
			);
			tokens[`${JSON.stringify(alg)} without the last dot`] = forge({ header, claims }, unsigned).slice(
				0,
				-1,
			);
		}
		await assertRefused(tokens);
	});

	it("for HS256 with public values as the secret", async () => {
		const publicKey = createPublicKey({ key: jwk, format: "jwk" });
		const [x, y] = [Buffer.from(jwk.x ?? "", "base64url"), Buffer.from(jwk.y ?? "", "base64url")];
		const secrets: Record<string, string | Buffer> = {
			PEM: publicKey.export({ type: "spki", format: "pem" }),
			"PEM without its last line break": String(publicKey.export({ type: "spki", format: "pem" })).trim(),
			DER: publicKey.export({ type: "spki", format: "der" }),
			JWK: JSON.stringify(jwk),
			"the JWK set": JSON.stringify({ keys: [jwk] }),
			"x as text": jwk.x ?? "",
			"x as bytes": x,
			"x and y": Buffer.concat([x, y]),
			"the point": Buffer.concat([Buffer.from([4]), x, y]),
			kid: jwk.kid ?? "",
			nothing: "",
		};
		const tokens = Object.entries(secrets).flatMap(([what, secret]) =>
			["HS256", "hs256"].map((alg) => [`${alg} with ${what}`, forge({ header: { alg } }, hmac(secret))]),
		);
		await assertRefused(Object.fromEntries(tokens));
	});

	it("for another asymmetric algorithm, or a similar name", async () => {
		const tokens: Record<string, string> = {};
		for (const alg of ["ES384", "ES512", "ES256K", "RS256", "PS256", "EdDSA", "es256", "ES256 ", "ES-256"])
			tokens[alg] = forge({ header: { alg } }, es256(ownKey));
		await assertRefused(tokens);
	});
});

describe("a token with a forged key returns 401", () => {
	it("for a key id that is unknown, a path, SQL, huge, or not a string", async () => {
		const tokens: Record<string, string> = {};
		for (const kid of [
			"mine",
			"A".repeat(43),
			"../../../../../../dev/null",
			"/etc/passwd",
			"file:///etc/passwd",
			"https://evil.example/jwks.json",
			"' OR '1'='1",
			"x'; DROP TABLE signing_keys; --",
			`${jwk.kid} `,
			` ${jwk.kid}`,
			jwk.kid?.toLowerCase(),
			`${jwk.kid}\u0000`,
			"K".repeat(4_000),
			"",
			0,
			null,
			true,
			["a"],
			{ $ne: "" },
			"__proto__",
			undefined,
		]) {
			tokens[`kid ${JSON.stringify(kid)?.slice(0, 40)}`] = forge(
				{ header: { kid } },
				es256(stranger.privateKey),
			);
			// Even a valid signature does not help.
			tokens[`own key, kid ${JSON.stringify(kid)?.slice(0, 40)}`] = forge({ header: { kid } }, es256(ownKey));
		}
		await assertRefused(tokens);
	});

	it("for an embedded or referenced key, even with our key id and signature", async () => {
		const own = { ...stranger.publicKey.export({ format: "jwk" }), kid: jwk.kid };
		const certificate = stranger.publicKey.export({ type: "spki", format: "der" }).toString("base64");
		const headers: Record<string, object> = {
			jwk: { jwk: own },
			"jwk under its own kid": { jwk: { ...own, kid: "mine" }, kid: "mine" },
			"our own jwk": { jwk },
			jku: { jku: "https://evil.example/jwks.json" },
			"jku of our own": { jku: `${service.httpUrl}/.well-known/jwks.json` },
			x5c: { x5c: [certificate] },
			x5u: { x5u: "https://evil.example/chain.pem" },
			x5t: { x5t: randomToken() },
			"crit of an unknown header": { crit: ["exp"], exp: 1 },
			"an empty crit": { crit: [] },
			"b64: false": { b64: false, crit: ["b64"] },
			"b64: true": { b64: true, crit: ["b64"] },
			zip: { zip: "DEF" },
			cty: { cty: "JWT" },
			"a member without a meaning": { hello: "world" },
		};
		const tokens: Record<string, string> = {};
		for (const [what, header] of Object.entries(headers)) {
			tokens[`${what}, stranger's key`] = forge({ header }, es256(stranger.privateKey));
			tokens[`${what}, our key`] = forge({ header }, es256(ownKey));
		}
		await assertRefused(tokens);
	});

	it("for another key with our key id", async () => {
		await assertRefused({ "a stranger's": forge({}, es256(stranger.privateKey)) });
	});
});

describe("a token with a forged signature returns 401", () => {
	it("for DER, empty, zero, out of range, truncated, extended, or of another token", async () => {
		const [header, claims, signature] = parts();
		const input = `${header}.${claims}`;
		const raw = Buffer.from(signature, "base64url");
		const [r, s] = [raw.subarray(0, 32), raw.subarray(32)];
		const zero = Buffer.alloc(32);
		const negated = Buffer.from(
			(BigInt(`0x${ORDER.toString("hex")}`) - BigInt(`0x${s.toString("hex")}`))
				.toString(16)
				.padStart(64, "0"),
			"hex",
		);
		const signatures: Record<string, Buffer> = {
			"ES256 in DER": createSign("sha256").update(input).sign(ownKey),
			nothing: Buffer.alloc(0),
			"r = 0": Buffer.concat([zero, s]),
			"s = 0": Buffer.concat([r, zero]),
			"r = s = 0": Buffer.alloc(64),
			"r = n": Buffer.concat([ORDER, s]),
			"s = n": Buffer.concat([r, ORDER]),
			"r and s greater than n": Buffer.alloc(64, 0xff),
			"r and s the other way round": Buffer.concat([s, r]),
			"63 bytes": raw.subarray(0, 63),
			"65 bytes": Buffer.concat([raw, Buffer.alloc(1)]),
			"a zero before each half": Buffer.concat([Buffer.alloc(1), r, Buffer.alloc(1), s]),
			twice: Buffer.concat([raw, raw]),
			"over SHA-384": sign("sha384", Buffer.from(input), { key: ownKey, dsaEncoding: "ieee-p1363" }),
			"over the claims alone": es256(ownKey)(claims),
			random: randomBytes(64),
		};
		const tokens: Record<string, string> = {};
		for (const [what, bytes] of Object.entries(signatures))
			tokens[what] = `${input}.${bytes.toString("base64url")}`;
		const other = await signInAgain(service, person);
		tokens["of another token of the same person"] = `${input}.${other.split(".")[2]}`;
		tokens["under another token's claims"] = `${header}.${other.split(".")[1]}.${signature}`;
		await assertRefused(tokens);
		// (r, n - s) is as valid as (r, s). ECDSA allows this, and no check relies on a unique text of a token.
		const twin = `${input}.${Buffer.concat([r, negated]).toString("base64url")}`;
		assert.equal((await service.call("GET", ME, { token: twin })).status, 200);
	});

	it("for one flipped bit anywhere in any part", async () => {
		const tokens: Record<string, string> = {};
		for (const [index, part] of parts().entries()) {
			const bytes = Buffer.from(part, "base64url");
			for (let bit = 0; bit < bytes.length * 8; bit += 1 + Math.floor(bytes.length / 12)) {
				const flipped = Buffer.from(bytes);
				flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7));
				const changed = [...parts()];
				changed[index] = flipped.toString("base64url");
				tokens[`part ${index}, bit ${bit}`] = changed.join(".");
			}
		}
		assert.ok(Object.keys(tokens).length > 200);
		await assertRefused(tokens);
	});
});

describe("a malformed token returns 401", () => {
	it("for truncation at any length", async () => {
		const tokens: Record<string, string> = {};
		for (let length = 1; length < person.token.length; length += 7)
			tokens[`${length} characters`] = person.token.slice(0, length);
		tokens["everything except the last character"] = person.token.slice(0, -1);
		await assertRefused(tokens);
	});

	it("for more or fewer parts, padding, the other alphabet, spare bits, spaces, or a huge size", async () => {
		const [header, claims, signature] = parts();
		const padded = (part: string) => part + "=".repeat((4 - (part.length % 4)) % 4 || 4);
		const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
		const spare = signature.slice(0, -1) + alphabet[(alphabet.indexOf(signature.at(-1) ?? "") | 1) % 64];
		const json = { payload: claims, signatures: [{ protected: header, signature }] };
		await assertRefused({
			"one part more": `${person.token}.x`,
			"one empty part more": `${person.token}.`,
			"an empty part before": `.${person.token}`,
			"five parts, as an encrypted one": `${header}.${claims}.${signature}.AAAA.AAAA`,
			"no claims": `${header}..${signature}`,
			"no header": `.${claims}.${signature}`,
			"no signature": `${header}.${claims}.`,
			"dots alone": "..",
			"a padded header": `${padded(header)}.${claims}.${signature}`,
			"padded claims": `${header}.${padded(claims)}.${signature}`,
			"a padded signature": `${header}.${claims}.${padded(signature)}`,
			"base64 instead of base64url": person.token.replaceAll("-", "+").replaceAll("_", "/").concat("/"),
			"spare bits set in the signature": `${header}.${claims}.${spare}`,
			"JSON serialisation": JSON.stringify(json),
			"the JSON in base64url": encodeText(JSON.stringify(json)),
			"a percent-encoded dot": person.token.replaceAll(".", "%2E"),
			"one character appended": `${person.token}A`,
			"9,000 characters of claims": `${header}.${"A".repeat(9_000)}.${signature}`,
			"a well-signed one of 9,000 characters": forge({ claims: { jti: "j".repeat(9_000) } }, es256(ownKey)),
		});
	});

	it("for a header or claims that are not a canonical JSON object, even if our key signed it", async () => {
		const [header, claims] = parts();
		const [head, body] = [decodePart(person.token, 0), decodePart(person.token, 1)];
		const text = (value: unknown) => JSON.stringify(value);
		const inside = (value: unknown) => text(value).slice(1, -1);
		const own = (first: string, second: string) => signParts(first, second, es256(ownKey));
		const bytes = (...values: number[]) => Buffer.from(values).toString("base64url");
		await assertRefused({
			"alg twice": own(encodeText(`{"alg":"none",${inside(head)}}`), claims),
			"kid twice": own(encodeText(`{"kid":"mine",${inside(head)}}`), claims),
			"sub twice": own(header, encodeText(`{"sub":"${ABSENT_ID}",${inside(body)}}`)),
			"exp twice": own(header, encodeText(`{"exp":1,${inside(body)}}`)),
			"sub twice, once escaped": own(header, encodeText(`{"s\\u0075b":"${ABSENT_ID}",${inside(body)}}`)),
			"a byte order mark": own(header, encodeText(`\ufeff${text(body)}`)),
			spaces: own(header, encodeText(` ${text(body)}`)),
			text: own(header, encodeText('"hello"')),
			"a list": own(header, encodeText(`[${text(body)}]`)),
			null: own(header, encodeText("null")),
			"a number": own(header, encodeText("1")),
			"no JSON": own(header, encodeText("foo")),
			"half of JSON": own(header, encodeText(text(body).slice(0, -1))),
			"no UTF-8": own(header, bytes(0xff, 0xfe, 0x7b, 0x7d)),
			"a header that is a list": own(encodeText(text([head])), claims),
			"an empty header": own(encodeText("{}"), claims),
			__proto__: own(encodeText(`{"__proto__":${text(head)}}`), claims),
		});
	});
});

describe("a token signed with the service's key returns 401", () => {
	it("for another type, issuer, audience, time, tenant, user, or session", async () => {
		const { id: tenantId } = await addTenant(service);
		const now = Math.floor(service.clock.now() / 1_000);
		const { iss } = decodePart(person.token, 1);
		const wrong: Record<string, { header?: object; claims?: object }> = {
			"no type": { header: { typ: undefined } },
			"type JWT": { header: { typ: "JWT" } },
			"type at+JWT with a capital": { header: { typ: "AT+JWT" } },
			"the long form of the type": { header: { typ: "application/at+jwt" } },
			"the type of an audit checkpoint": { header: { typ: "latchkey-audit-checkpoint+jws" } },
			"another issuer": { claims: { iss: "https://evil.example" } },
			"our issuer and more": { claims: { iss: `${iss}/` } },
			"a list of issuers": { claims: { iss: [iss] } },
			"no issuer": { claims: { iss: undefined } },
			"another audience": { claims: { aud: ["https://app.example"] } },
			"the audience as text": { claims: { aud: iss } },
			"an empty audience": { claims: { aud: [] } },
			"no audience": { claims: { aud: undefined } },
			expired: { claims: { exp: now - 1 } },
			"expiring now": { claims: { exp: now } },
			"no expiry": { claims: { exp: undefined } },
			"expiry as text": { claims: { exp: "4000000000" } },
			"expiry as fraction": { claims: { exp: now + 600.5 } },
			"not yet valid": { claims: { nbf: now + 600 } },
			"no time of issue": { claims: { iat: undefined } },
			"another tenant": { claims: { tenant_id: tenantId } },
			"an unknown tenant": { claims: { tenant_id: ABSENT_ID } },
			"no tenant": { claims: { tenant_id: undefined } },
			"another user": { claims: { sub: ABSENT_ID } },
			"no user": { claims: { sub: undefined } },
			"an unknown session": { claims: { sid: ABSENT_ID } },
			"an odd session": { claims: { sid: { $ne: "" } } },
			"no session": { claims: { sid: undefined } },
			"roles as text": { claims: { roles: "admin" } },
		};
		const tokens = Object.entries(wrong).map(([what, changes]) => [what, forge(changes, es256(ownKey))]);
		assert.equal((await service.call("GET", ME, { token: forge({}, es256(ownKey)) })).status, 200);
		await assertRefused(Object.fromEntries(tokens));
	});

	it("for a revoked session", async () => {
		const token = await signInAgain(service, person);
		assert.equal((await service.call("GET", ME, { token })).status, 200);
		assert.equal((await service.call("POST", "/api/v1/auth/logout", { token })).status, 204);
		await assertRefused({
			"as it was": token,
			"signed again": forgeToken(token, { claims: { jti: "new" } }, es256(ownKey)),
		});
	});

	it("for any other secret of the service", async () => {
		const body = { username: person.username, password: person.password };
		const { data } = (await service.call("POST", "/api/v1/auth/login", { body })).body;
		const mfaToken = await passwordStep(service, await addPersonWithTotp(service, "grace"));
		await assertRefused({
			"a refresh token": data.refresh_token,
			"the token of a sign-in that waits for its second factor": mfaToken,
			"an opaque token of the service": randomToken(),
			"a Secret": `sk_${randomToken()}`,
		});
	});
});
