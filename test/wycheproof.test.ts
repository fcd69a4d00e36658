// Runs the cases of Project Wycheproof against our own functions. test/vectors/wycheproof/NOTICE lists the cases and
// their revision.

import assert from "node:assert/strict";
import { createSecretKey } from "node:crypto";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { createAccessTokens } from "../src/crypto/access-token.ts";
import { decryptGcm, encryptGcm } from "../src/crypto/aes-gcm.ts";
import { verifyCompactJws } from "../src/crypto/compact-jws.ts";
import { verifyHmac } from "../src/crypto/request-signature.ts";
import { type PublicJwk, ReadyKeys, type SigningKey } from "../src/crypto/signing-key.ts";
import { AppError } from "../src/kernel/error.ts";

interface Case {
	readonly tcId: number;
	readonly comment: string;
	readonly result: "valid" | "invalid" | "acceptable";
}

interface Group<C extends Case> {
	readonly jwk: PublicJwk & { readonly kid: string };
	/** Bits. */
	readonly tagSize: number;
	readonly tests: readonly C[];
}

function groupsOf<C extends Case>(name: string): readonly Group<C>[] {
	const text = readFileSync(new URL(`vectors/wycheproof/${name}_test.json`, import.meta.url), "utf8");
	return JSON.parse(text).testGroups;
}

function bytes(hex: string): Buffer<ArrayBuffer> {
	return Buffer.from(hex, "hex");
}

const ready = new ReadyKeys();

/** In the form that the service uses. There is no private half, and verification needs none. */
function keyOf({ kid, kty, crv, x, y }: PublicJwk & { readonly kid: string }): SigningKey {
	const publicJwk = { kty, crv, x, y };
	return { kid, publicJwk, privateJwk: { ...publicJwk, d: "" } };
}

async function assertRefused(key: SigningKey, token: string, what: string): Promise<void> {
	const tokens = createAccessTokens({ issuer: "https://login.example", keys: [key], clock: () => 0 });
	await assert.rejects(
		async () => tokens.verify(token),
		(error) => error instanceof AppError && error.code === "token.invalid",
		what,
	);
}

describe("Wycheproof: HMAC-SHA256, for verifying signed requests", () => {
	for (const { tagSize, tests } of groupsOf<Case & { key: string; msg: string; tag: string }>("hmac_sha256"))
		it(`${tests.length} cases with tags of ${tagSize} bits`, () => {
			for (const { tcId, comment, key, msg, tag, result } of tests) {
				const accepted = verifyHmac(createSecretKey(bytes(key)), bytes(msg).toString("latin1"), tag);
				// A truncated tag is easier to guess, so it is never accepted.
				assert.equal(accepted, result === "valid" && tagSize === 256, `${tcId} ${comment}`);
			}
		});
});

describe("Wycheproof: ECDSA on P-256 with SHA-256, for verifying access tokens", () => {
	const groups = groupsOf<Case & { msg: string; sig: string }>("ecdsa_secp256r1_sha256_p1363");

	it(`${groups.flatMap(({ tests }) => tests).length} cases under ${groups.length} keys`, async () => {
		for (const { jwk, tests } of groups) {
			const key = await ready.verifying(keyOf(jwk));
			for (const { tcId, comment, msg, sig, result } of tests) {
				const algorithm = { name: "ECDSA", hash: "SHA-256" };
				const accepted = await crypto.subtle.verify(algorithm, key, bytes(sig), bytes(msg));
				if (result !== "acceptable") assert.equal(accepted, result === "valid", `${tcId} ${comment}`);
			}
		}
	});

	it("every invalid signature is refused as a token", async () => {
		const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
		for (const { jwk, tests } of groups)
			for (const { tcId, sig } of tests.filter(({ result }) => result === "invalid")) {
				const input = `${part({ alg: "ES256", typ: "at+jwt", kid: jwk.kid })}.${part({ sub: "x" })}`;
				const signature = bytes(sig).toString("base64url");
				await assertRefused(keyOf(jwk), `${input}.${signature}`, String(tcId));
			}
	});
});

describe("Wycheproof: JSON Web Signature, ES256", () => {
	for (const { jwk, tests } of groupsOf<Case & { jws: string }>("json_web_signature"))
		it(`${tests.length} cases from ${tests[0]?.tcId}`, async () => {
			const key = keyOf(jwk);
			for (const { tcId, comment, jws, result } of tests) {
				const payload = await verifyCompactJws(jws, await ready.verifying(key));
				const accepted = payload !== undefined && headerIsPlain(jws);
				assert.equal(accepted, result === "valid", `${tcId} ${comment}`);
				if (accepted) assert.equal(Buffer.from(payload).toString(), "foo");
				// None of them has the type of an access token, not even the valid ones.
				await assertRefused(key, jws, `${tcId} ${comment}`);
			}
		});
});

/** The header that the service requires, before it checks the signature. */
function headerIsPlain(jws: string): boolean {
	const header = JSON.parse(Buffer.from(jws.split(".")[0] ?? "", "base64url").toString("utf8"));
	return Object.keys(header).every((name) => ["alg", "kid", "typ"].includes(name));
}

describe("Wycheproof: AES-256-GCM, for sealing secrets", () => {
	interface Sealed extends Case {
		readonly key: string;
		readonly iv: string;
		readonly aad: string;
		readonly msg: string;
		readonly ct: string;
		readonly tag: string;
	}
	const tests = groupsOf<Sealed>("aes_gcm").flatMap((group) => group.tests);

	it(`${tests.length} cases with a nonce of 96 bits`, () => {
		for (const { tcId, comment, key, iv, aad, msg, ct, tag, result } of tests) {
			const box = createSecretKey(bytes(key));
			const sealed = Buffer.concat([bytes(ct), bytes(tag)]);
			const opened = decryptGcm(box, bytes(iv), sealed, bytes(aad));
			assert.equal(opened?.toString("hex"), result === "valid" ? msg : undefined, `${tcId} ${comment}`);
			if (result !== "valid") continue;
			const again = encryptGcm(box, bytes(iv), bytes(msg), bytes(aad));
			assert.equal(again.toString("hex"), ct + tag, `${tcId} ${comment}`);
		}
	});
});
