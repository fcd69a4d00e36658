import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { describe, it } from "node:test";
import { problem } from "../kernel/field-reason.ts";
import { KID_MAX, readClientKey } from "./client-jwks.ts";

type Jwk = Readonly<Record<string, unknown>>;
const ec = (namedCurve = "P-256") =>
	generateKeyPairSync("ec", { namedCurve }).publicKey.export({ format: "jwk" }) as Jwk;
const rsa = (modulusLength = 2048) =>
	generateKeyPairSync("rsa", { modulusLength }).publicKey.export({ format: "jwk" }) as Jwk;
const ed = () => generateKeyPairSync("ed25519").publicKey.export({ format: "jwk" }) as Jwk;

describe("readClientKey", () => {
	it("reads P-256, Ed25519, and RSA keys, and keeps only the needed members", () => {
		for (const [jwk, alg] of [
			[ec(), "ES256"],
			[ed(), "EdDSA"],
			[ed(), "Ed25519"],
			[rsa(), "RS256"],
			[rsa(), "PS256"],
		] as const) {
			assert.deepEqual(readClientKey(jwk), { key: { ...jwk, use: "sig" } });
			const sent = { ...jwk, alg, use: "sig", kid: "one", key_ops: ["verify"], x5c: ["MIIB"], note: 1 };
			assert.deepEqual(readClientKey(sent), { key: { ...jwk, use: "sig", alg, kid: "one" } });
		}
	});

	it("refuses private and symmetric keys, naming the member and not its value", () => {
		const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
		const jwk = privateKey.export({ format: "jwk" }) as Jwk;
		const read = readClientKey(jwk);
		assert.deepEqual(read, { problem: problem("private_key", { member: "d" }) });
		for (const name of ["d", "p", "q", "dp", "dq", "qi", "oth", "k"])
			assert.match(JSON.stringify(readClientKey({ ...rsa(), [name]: "AAAA" })), new RegExp(`; ${name} is`));
		assert.match(JSON.stringify(readClientKey({ kty: "oct", k: "AAAA" })), /k is a private member/);
	});

	it("refuses keys that cannot verify client signatures", () => {
		const key = ec();
		const cases: [Jwk, RegExp][] = [
			[{}, /must have kty EC, RSA, or OKP/],
			[{ ...key, kty: "toString" }, /must have kty/],
			[ec("P-384"), /must have crv P-256/],
			[{ ...ed(), crv: "X25519" }, /must have crv Ed25519/],
			[{ ...rsa(), crv: "P-256" }, /must have crv/],
			[{ ...key, alg: "ES384" }, /must have alg ES256, or no alg/],
			[{ ...key, alg: "none" }, /must have alg/],
			[{ ...rsa(), alg: "HS256" }, /must have alg RS256, PS256, or no alg/],
			[{ ...key, use: "enc" }, /must be usable for verification/],
			[{ ...key, key_ops: ["sign"] }, /must be usable for verification/],
			[{ ...key, kid: "" }, /must have a kid of 1 to 256/],
			[{ ...key, kid: "k".repeat(KID_MAX + 1) }, /must have a kid of 1 to 256/],
			[{ ...key, kid: 5 }, /must have a kid/],
			[{ ...key, x: 5 }, /must have x in base64url/],
			[{ ...key, x: `AAAA${key.x}` }, /must have x in base64url/],
			[{ ...key, y: "+".repeat(43) }, /must have y in base64url/],
			[{ ...key, y: "A".repeat(43) }, /is not a usable key/],
			[rsa(1024), /must have 2048 to 4096 bits/],
			[{ ...rsa(), e: "AQ" }, /must have an odd e/],
			[{ ...rsa(), e: "Ag" }, /must have an odd e/],
		];
		for (const [jwk, message] of cases) {
			const read = readClientKey(jwk);
			assert.ok("problem" in read, JSON.stringify(jwk));
			assert.match(read.problem.message, message);
		}
	});

	it("refuses an RSA key that would be slow to use", () => {
		const n = Buffer.alloc(2048, 0xff).toString("base64url");
		const read = readClientKey({ ...rsa(), n });
		assert.deepEqual(read, { problem: problem("key_bits", { min: 2048, max: 4096 }) });
	});
});
