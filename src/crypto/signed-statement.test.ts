import assert from "node:assert/strict";
import { createPublicKey, verify } from "node:crypto";
import { describe, test } from "node:test";
import { createAccessTokens } from "./access-token.ts";
import { signStatement, verifyStatement } from "./signed-statement.ts";
import { generateSigningKey } from "./signing-key.ts";

const TYPE = "latchkey-test+jws";
const CLAIMS = { sequence: 7, hash: "ab" };

describe("signed statements", () => {
	test("are verified by another ECDSA library, with type and key id in the header", async () => {
		const key = await generateSigningKey();
		const statement = await signStatement(key, TYPE, CLAIMS);
		const [header = "", payload = "", signature = ""] = statement.split(".");
		assert.deepEqual(JSON.parse(Buffer.from(header, "base64url").toString()), {
			alg: "ES256",
			typ: TYPE,
			kid: key.kid,
		});
		assert.deepEqual(JSON.parse(Buffer.from(payload, "base64url").toString()), CLAIMS);
		const publicKey = createPublicKey({ key: { ...key.publicJwk }, format: "jwk" });
		const bytes = Buffer.from(`${header}.${payload}`);
		const options = { key: publicKey, dsaEncoding: "ieee-p1363" } as const;
		assert.ok(verify("sha256", bytes, options, Buffer.from(signature, "base64url")));
		assert.deepEqual(await verifyStatement([await generateSigningKey(), key], TYPE, statement), CLAIMS);
	});

	test("with another type or key, or changed or malformed, are refused", async () => {
		const key = await generateSigningKey();
		const statement = await signStatement(key, TYPE, CLAIMS);
		const [header, , signature] = statement.split(".");
		const other = Buffer.from(JSON.stringify({ ...CLAIMS, sequence: 8 })).toString("base64url");
		const clock = Date.now;
		const tokens = createAccessTokens({ issuer: "https://a.example", keys: [key], clock });
		const { token } = await tokens.issue({
			userId: "u",
			tenantId: "t",
			sessionId: "s",
			appId: null,
			roles: [],
			amr: ["pwd"],
			authenticatedAtMs: 0,
		} as unknown as Parameters<typeof tokens.issue>[0]);
		for (const forged of [
			`${header}.${other}.${signature}`,
			await signStatement({ ...(await generateSigningKey()), kid: key.kid }, TYPE, CLAIMS),
			await signStatement(key, "other", CLAIMS),
			token,
			"",
			"a.b.c",
			`${statement}${"x".repeat(5_000)}`,
		])
			assert.equal(await verifyStatement([key], TYPE, forged), undefined, forged.slice(0, 40));
		assert.equal(await verifyStatement([], TYPE, statement), undefined);
		await assert.rejects(async () => tokens.verify(statement), { code: "token.invalid" });
	});
});
