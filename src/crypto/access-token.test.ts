import assert from "node:assert/strict";
import { createHmac, createPrivateKey, createPublicKey, createSecretKey, sign, verify } from "node:crypto";
import { describe, test } from "node:test";
import { AppError } from "../kernel/error.ts";
import { type AccessTokens, createAccessTokens, type KeySource } from "./access-token.ts";
import { generateSigningKey, type SigningKey } from "./signing-key.ts";

const ISSUER = "https://login.example.com";
const NOW_MS = Date.parse("2026-11-20T08:00:00.500Z");
const NOW = Math.floor(NOW_MS / 1_000);
const SUBJECT = {
	userId: "0190d6c1-0000-7000-8000-000000000001",
	sessionId: "0190d6c1-0000-7000-8000-000000000002",
	tenantId: "0190d6c1-0000-7000-8000-000000000003",
	appId: "0190d6c1-0000-7000-8000-000000000004",
	roles: ["admin"],
	authenticatedAtMs: NOW_MS - 5_000,
	amr: ["pwd"],
};
const key = await generateSigningKey();
const foreignKey = await generateSigningKey();

/** A service with a clock that can be moved. */
function service(options: Partial<Parameters<typeof createAccessTokens>[0]> = {}) {
	const time = { nowMs: NOW_MS };
	const tokens = createAccessTokens({
		issuer: ISSUER,
		keys: [key],
		clock: () => time.nowMs,
		...options,
	});
	return { tokens, time };
}

function sourceOf(current: () => SigningKey[], look: (kid: string) => void = () => undefined): KeySource {
	return { current, freshen: () => undefined, seek: async (kid) => look(kid) };
}

type Json = Record<string, unknown>;

function encode(value: Json): string {
	return Buffer.from(JSON.stringify(value)).toString("base64url");
}

function decode(part: string | undefined): Json {
	return JSON.parse(Buffer.from(part ?? "", "base64url").toString());
}

const goodHeader: Json = { alg: "ES256", typ: "at+jwt", kid: key.kid };
const goodPayload: Json = {
	iss: ISSUER,
	sub: SUBJECT.userId,
	aud: [ISSUER, SUBJECT.appId],
	client_id: SUBJECT.appId,
	exp: NOW + 900,
	iat: NOW,
	jti: "0190d6c1-0000-7000-8000-000000000005",
	sid: SUBJECT.sessionId,
	tenant_id: SUBJECT.tenantId,
	roles: ["admin"],
	auth_time: NOW - 5,
	amr: ["pwd"],
};

/** Signs with node:crypto instead of the code under test. */
function forge(header: Json, payload: Json, signer: SigningKey = key): string {
	const input = `${encode(header)}.${encode(payload)}`;
	const privateKey = createPrivateKey({ key: { ...signer.privateJwk }, format: "jwk" });
	const signature = sign("sha256", Buffer.from(input), { key: privateKey, dsaEncoding: "ieee-p1363" });
	return `${input}.${signature.toString("base64url")}`;
}

function refused(error: unknown): true {
	assert.ok(error instanceof AppError);
	assert.equal(error.code, "token.invalid");
	assert.equal(error.message, "access token is invalid or expired");
	return true;
}

/** Asserts the only error, thrown synchronously or as a rejection. */
async function assertRefused(tokens: AccessTokens, token: string): Promise<void> {
	await assert.rejects(async () => await tokens.verify(token), refused);
}

describe("issue", () => {
	test("a token has the claims and the header of RFC 9068", async () => {
		const { tokens } = service();
		const { token, expiresAtMs } = await tokens.issue(SUBJECT);
		const [header, payload] = token.split(".");
		assert.deepEqual(decode(header), goodHeader);
		const { jti, ...claims } = decode(payload);
		const { jti: _, ...expected } = goodPayload;
		assert.deepEqual(claims, expected);
		assert.match(String(jti), /^[0-9a-f-]{36}$/);
		assert.equal(expiresAtMs, (NOW + 900) * 1_000);
	});

	test("without an application, the client is latchkey and the only audience is the issuer", async () => {
		const { tokens } = service();
		const { token } = await tokens.issue({ ...SUBJECT, appId: null });
		const { aud, client_id } = await tokens.verify(token);
		assert.deepEqual(aud, [ISSUER]);
		assert.equal(client_id, "latchkey");
	});

	test("an independent implementation verifies its ES256 signature", async () => {
		const { tokens } = service();
		const { token } = await tokens.issue(SUBJECT);
		const [header, payload, signature = ""] = token.split(".");
		const [jwk] = tokens.jwks().keys;
		assert.ok(jwk);
		const publicKey = createPublicKey({ key: { ...jwk }, format: "jwk" });
		assert.equal(
			verify(
				"sha256",
				Buffer.from(`${header}.${payload}`),
				{ key: publicKey, dsaEncoding: "ieee-p1363" },
				Buffer.from(signature, "base64url"),
			),
			true,
		);
	});

	test("without a key, issuing fails with an internal error", async () => {
		const { tokens } = service({ keys: [] });
		await assert.rejects(tokens.issue(SUBJECT), (error) => !(error instanceof AppError));
	});
});

describe("verify", () => {
	test("a token issued here is cached: verify returns no promise", async () => {
		const { tokens } = service();
		const { token } = await tokens.issue(SUBJECT);
		const claims = tokens.verify(token);
		assert.ok(!(claims instanceof Promise));
		assert.equal(claims.sid, SUBJECT.sessionId);
	});

	test("a token issued elsewhere with the same key is verified once, then cached, with the same claims", async () => {
		const { tokens } = service();
		const { token } = await service().tokens.issue(SUBJECT);
		const first = tokens.verify(token);
		assert.ok(first instanceof Promise);
		const claims = await first;
		assert.equal(tokens.verify(token), claims);
		assert.deepEqual({ ...claims }, decode(token.split(".")[1]));
	});

	test("a token signed with node:crypto is accepted, so each forgery below fails only for its own reason", async () => {
		const claims = await service().tokens.verify(forge(goodHeader, goodPayload));
		assert.deepEqual({ ...claims }, goodPayload);
	});

	test("unknown claims are dropped", async () => {
		const claims = await service().tokens.verify(forge(goodHeader, { ...goodPayload, extra: "x" }));
		assert.deepEqual({ ...claims }, goodPayload);
	});

	test("a token expires to the second, cached or not", async () => {
		const { tokens, time } = service();
		const { token } = await tokens.issue(SUBJECT);
		time.nowMs = (NOW + 900) * 1_000 - 1;
		await tokens.verify(token);
		await service({ clock: () => time.nowMs }).tokens.verify(token);
		time.nowMs += 1;
		assert.throws(() => tokens.verify(token), refused);
		await assertRefused(tokens, token);
		await assertRefused(service({ clock: () => time.nowMs }).tokens, token);
	});

	test("many tokens stay cached, within the memory limit", async () => {
		const { tokens } = service({ cacheBytes: 1024 ** 2 });
		const issued: string[] = [];
		for (let index = 0; index < 500; index++) issued.push((await tokens.issue(SUBJECT)).token);
		assert.ok(issued.every((token) => !(tokens.verify(token) instanceof Promise)));
		const { tokens: small } = service({ cacheBytes: 8 * 1024 });
		for (const token of issued.slice(0, 50)) await small.verify(token);
		const known = issued.slice(0, 50).filter((token) => !(small.verify(token) instanceof Promise));
		assert.ok(known.length > 0 && known.length <= 8, `${known.length} are known`);
	});

	test("tokens in a burst are never mixed up, however small the cache", async () => {
		const { tokens } = service({ cacheSize: 4 });
		const issued = await Promise.all(
			Array.from({ length: 20 }, (_, index) => tokens.issue({ ...SUBJECT, userId: `user ${index}` })),
		);
		for (let round = 0; round < 2; round++) {
			const claims = await Promise.all(issued.map(({ token }) => tokens.verify(token)));
			assert.deepEqual(
				claims.map(({ sub }) => sub),
				issued.map((_, index) => `user ${index}`),
			);
		}
	});
});

describe("forged tokens", () => {
	const { tokens } = service();
	const unsigned = `${encode({ ...goodHeader, alg: "none" })}.${encode(goodPayload)}`;
	const hmacInput = `${encode({ ...goodHeader, alg: "HS256" })}.${encode(goodPayload)}`;
	const publicPem = createPublicKey({ key: { ...key.publicJwk }, format: "jwk" }).export({
		type: "spki",
		format: "pem",
	});
	const hmacWith = (secret: string) =>
		`${hmacInput}.${createHmac("sha256", createSecretKey(secret, "utf8")).update(hmacInput).digest("base64url")}`;
	const good = forge(goodHeader, goodPayload);
	const [goodHead = "", goodBody = "", goodSignature = ""] = good.split(".");
	const foreignJwk = { ...foreignKey.publicJwk };

	const forgeries: [string, string][] = [
		["nothing", ""],
		["a word", "token"],
		["two parts", `${goodHead}.${goodBody}`],
		["four parts", `${good}.${goodSignature}`],
		["empty parts", ".."],
		["alg none without signature", `${unsigned}.`],
		["alg none with a valid signature", `${unsigned}.${goodSignature}`],
		["alg NONE", `${encode({ ...goodHeader, alg: "NONE" })}.${encode(goodPayload)}.`],
		["HS256 keyed with the public key as PEM", hmacWith(String(publicPem))],
		["HS256 keyed with the public key as JWK", hmacWith(JSON.stringify(key.publicJwk))],
		["ES384 named in the header", forge({ ...goodHeader, alg: "ES384" }, goodPayload)],
		["a foreign key under the right key id", forge(goodHeader, goodPayload, foreignKey)],
		["an unknown key id", forge({ ...goodHeader, kid: foreignKey.kid }, goodPayload, foreignKey)],
		["no key id", forge({ alg: "ES256", typ: "at+jwt" }, goodPayload)],
		["a key id that is not a string", forge({ ...goodHeader, kid: [key.kid] }, goodPayload)],
		["an embedded key, signed by it", forge({ ...goodHeader, jwk: foreignJwk }, goodPayload, foreignKey)],
		["an embedded key, signed with the right key", forge({ ...goodHeader, jwk: foreignJwk }, goodPayload)],
		["a key URL", forge({ ...goodHeader, jku: "https://evil.example/jwks" }, goodPayload, foreignKey)],
		["a certificate", forge({ ...goodHeader, x5c: ["MIIB"] }, goodPayload, foreignKey)],
		["crit", forge({ ...goodHeader, crit: ["exp"] }, goodPayload)],
		["crit b64", forge({ ...goodHeader, crit: ["b64"], b64: false }, goodPayload)],
		["typ JWT", forge({ ...goodHeader, typ: "JWT" }, goodPayload)],
		["no typ", forge({ alg: "ES256", kid: key.kid }, goodPayload)],
		["another issuer", forge(goodHeader, { ...goodPayload, iss: "https://evil.example" })],
		["no issuer", forge(goodHeader, { ...goodPayload, iss: undefined })],
		["another audience", forge(goodHeader, { ...goodPayload, aud: [SUBJECT.appId] })],
		[
			"the issuer as a part of an audience",
			forge(goodHeader, { ...goodPayload, aud: [`${ISSUER}.evil.example`] }),
		],
		["an audience that is not a list", forge(goodHeader, { ...goodPayload, aud: ISSUER })],
		["no audience", forge(goodHeader, { ...goodPayload, aud: undefined })],
		["expired this second", forge(goodHeader, { ...goodPayload, exp: NOW })],
		["no expiry", forge(goodHeader, { ...goodPayload, exp: undefined })],
		["an expiry as text", forge(goodHeader, { ...goodPayload, exp: String(NOW + 900) })],
		["not before tomorrow", forge(goodHeader, { ...goodPayload, nbf: NOW + 86_400 })],
		["no session", forge(goodHeader, { ...goodPayload, sid: undefined })],
		["an empty subject", forge(goodHeader, { ...goodPayload, sub: "" })],
		["no tenant", forge(goodHeader, { ...goodPayload, tenant_id: undefined })],
		["roles that are not a list", forge(goodHeader, { ...goodPayload, roles: "admin" })],
		[
			"an ID token's claims",
			forge(goodHeader, { iss: ISSUER, sub: "x", aud: [ISSUER], exp: NOW + 900, iat: NOW }),
		],
		["truncated by one character", good.slice(0, -1)],
		["truncated in the middle", good.slice(0, good.length / 2)],
		["one character more", `${good}A`],
		["padded", `${good}=`],
		["a line break after it", `${good}\n`],
		["a space within", good.replace(".", ". ")],
		["an empty signature", `${goodHead}.${goodBody}.`],
		["a signature of zeros", `${goodHead}.${goodBody}.${"A".repeat(86)}`],
		["another token's signature", `${goodHead}.${encode({ ...goodPayload, sub: "eve" })}.${goodSignature}`],
		["a header that is not JSON", `${Buffer.from("{").toString("base64url")}.${goodBody}.${goodSignature}`],
		["a very long one", `${goodHead}.${"A".repeat(1_000_000)}.${goodSignature}`],
	];
	for (const [name, token] of forgeries) test(name, () => assertRefused(tokens, token));

	test("in DER, as other libraries sign", async () => {
		const privateKey = createPrivateKey({ key: { ...key.privateJwk }, format: "jwk" });
		const der = sign("sha256", Buffer.from(`${goodHead}.${goodBody}`), privateKey).toString("base64url");
		await assertRefused(tokens, `${goodHead}.${goodBody}.${der}`);
	});

	test("a cached token with its last character changed is verified again and refused", async () => {
		const { token } = await tokens.issue(SUBJECT);
		for (const letter of "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_") {
			if (token.endsWith(letter)) continue;
			await assertRefused(tokens, token.slice(0, -1) + letter);
		}
		assert.ok(!(tokens.verify(token) instanceof Promise));
	});

	test("two tokens that differ only in their signatures are cached separately", async () => {
		const again = forge(goodHeader, goodPayload);
		assert.notEqual(again, good);
		await tokens.verify(good);
		assert.ok(tokens.verify(again) instanceof Promise);
	});
});

describe("several keys", () => {
	test("the first signs, all verify, all are published", async () => {
		const { tokens } = service({ keys: [foreignKey, key] });
		const { token } = await tokens.issue(SUBJECT);
		assert.equal(decode(token.split(".")[0]).kid, foreignKey.kid);
		await tokens.verify(forge(goodHeader, goodPayload));
		await tokens.verify(forge({ ...goodHeader, kid: foreignKey.kid }, goodPayload, foreignKey));
		assert.deepEqual(
			tokens.jwks().keys.map(({ kid }) => kid),
			[foreignKey.kid, key.kid],
		);
		for (const jwk of tokens.jwks().keys) {
			assert.deepEqual(Object.keys(jwk).sort(), ["alg", "crv", "kid", "kty", "use", "x", "y"]);
		}
	});

	test("a token is refused once its key is removed, even if it is cached", async () => {
		let keys = [key];
		const { tokens } = service({ keys: sourceOf(() => keys) });
		const { token } = await tokens.issue(SUBJECT);
		await tokens.verify(token);
		keys = [foreignKey];
		await assertRefused(tokens, token);
		await assertRefused(tokens, token);
	});

	test("an unknown key id is refused only after another look-up", async () => {
		const sought: string[] = [];
		let keys = [key];
		const source = sourceOf(
			() => keys,
			(kid) => {
				sought.push(kid);
				if (kid === foreignKey.kid) keys = [key, foreignKey];
			},
		);
		const { tokens } = service({ keys: source });
		await tokens.verify(forge({ ...goodHeader, kid: foreignKey.kid }, goodPayload, foreignKey));
		await tokens.verify(
			forge({ ...goodHeader, kid: foreignKey.kid }, { ...goodPayload, jti: "2" }, foreignKey),
		);
		await assertRefused(tokens, forge({ ...goodHeader, kid: "nobody" }, goodPayload));
		assert.deepEqual(sought, [foreignKey.kid, "nobody"]);
	});

	test("stale keys are reloaded before a token is signed", async () => {
		let keys = [key];
		const freshen = async (): Promise<void> => {
			keys = [foreignKey];
		};
		const source = { ...sourceOf(() => keys), freshen };
		const { tokens } = service({ keys: source });
		const { token } = await tokens.issue(SUBJECT);
		assert.equal(decode(token.split(".")[0]).kid, foreignKey.kid);
	});

	test("a stored key that does not load is an internal error, not an invalid token", async () => {
		const broken = { ...key, publicJwk: { ...key.publicJwk, x: "AAAA" } };
		const { tokens } = service({ keys: [broken] });
		await assert.rejects(
			async () => await tokens.verify(forge(goodHeader, goodPayload)),
			(error) => !(error instanceof AppError),
		);
	});
});
