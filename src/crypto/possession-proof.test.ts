import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { verifyPossession } from "./possession-proof.ts";

const NOW_MS = Date.parse("2026-11-23T12:00:00Z");
const EXPECTED = {
	method: "GET",
	url: "https://api.example/orders",
	accessToken: "token",
	thumbprint: "thumbprint",
	nowMs: NOW_MS,
};

describe("a DPoP proof", () => {
	const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
	const proofWith = (jwk: object): string =>
		[
			part({ typ: "dpop+jwt", alg: "ES256", jwk }),
			part({ htm: "GET", htu: EXPECTED.url, jti: "1", iat: NOW_MS / 1_000, ath: "x" }),
			Buffer.alloc(64).toString("base64url"),
		].join(".");

	it("with a key that cannot be imported is no proof", async () => {
		const point = { x: "A".repeat(43), y: "A".repeat(43) };
		for (const jwk of [
			{ kty: "EC", crv: "P-256", x: "AA", y: "AA" },
			{ kty: "EC", crv: "P-256", ...point },
			{ kty: "EC", crv: "P-256", ...point, key_ops: ["encrypt"] },
			{ kty: "EC", crv: "P-999", ...point },
			{ kty: "oct", k: "AA" },
			{},
		])
			assert.equal(await verifyPossession(proofWith(jwk), EXPECTED), undefined, JSON.stringify(jwk));
	});
});
