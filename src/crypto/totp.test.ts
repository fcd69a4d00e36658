import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Secret } from "otpauth";
import { issueTotpSecret, totpCode, totpUri, verifyTotp } from "./totp.ts";

/** RFC 6238, appendix B, SHA-1: seconds and the last six of the eight digits. */
const KNOWN: readonly [number, string][] = [
	[59, "287082"],
	[1_111_111_109, "081804"],
	[1_111_111_111, "050471"],
	[1_234_567_890, "005924"],
	[2_000_000_000, "279037"],
	[20_000_000_000, "353130"],
];
const RFC_SECRET = Secret.fromLatin1("12345678901234567890").base32;

describe("totp", () => {
	it("matches the test vectors of RFC 6238", () => {
		for (const [seconds, code] of KNOWN) {
			assert.equal(totpCode(RFC_SECRET, seconds * 1_000), code);
			assert.equal(verifyTotp(RFC_SECRET, code, seconds * 1_000), Math.floor(seconds / 30));
		}
	});

	it("accepts the steps before and after, and returns which one matched", () => {
		const secret = issueTotpSecret();
		const now = Date.parse("2026-11-20T08:00:10Z");
		const step = Math.floor(now / 30_000);
		for (const beside of [-1, 0, 1])
			assert.equal(verifyTotp(secret, totpCode(secret, now + beside * 30_000), now), step + beside);
		for (const away of [-2, 2])
			assert.equal(verifyTotp(secret, totpCode(secret, now + away * 30_000), now), undefined);
	});

	it("accepts only six ASCII digits", () => {
		const code = totpCode(RFC_SECRET, 59_000);
		for (const wrong of ["", code.slice(1), `${code}0`, ` ${code}`, "28708Z", "２８７０８２", `${code}\n`])
			assert.equal(verifyTotp(RFC_SECRET, wrong, 59_000), undefined, JSON.stringify(wrong));
	});

	it("issues 160 random bits, and a URI for authenticator apps", () => {
		const secret = issueTotpSecret();
		assert.match(secret, /^[A-Z2-7]{32}$/);
		assert.notEqual(issueTotpSecret(), secret);
		const uri = new URL(totpUri(secret, { issuer: "id.example.com", account: "ada:1 & co" }));
		assert.equal(uri.protocol + uri.host, "otpauth:totp");
		assert.equal(decodeURIComponent(uri.pathname), "/id.example.com:ada:1 & co");
		assert.deepEqual(Object.fromEntries(uri.searchParams), {
			issuer: "id.example.com",
			secret,
			algorithm: "SHA1",
			digits: "6",
			period: "30",
		});
	});
});
