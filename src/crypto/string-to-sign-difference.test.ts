import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { EMPTY_BODY_SHA256, stringToSign } from "./request-signature.ts";
import { findSignedDifference } from "./string-to-sign-difference.ts";

const TARGET = "/api/v1/external/users?b=2&a=%2Fx";
const PARTS = {
	method: "GET",
	target: TARGET,
	tenantId: "0190a5b0-0000-7000-8000-00000000000a",
	appId: "0190a5b0-0000-7000-8000-00000000000b",
	apiKey: "ak_AbCdEfGhIjKlMnOp",
	timestamp: "1763625600",
	nonce: "nonce-nonce-nonce-1",
	bodySha256: EMPTY_BODY_SHA256,
};
const EXPECTED = stringToSign(PARTS);

const found = (given: string): [number, string, string] | undefined => {
	const difference = findSignedDifference(EXPECTED, given);
	return difference && [difference.line, difference.name, difference.hint];
};

describe("the first difference of two strings to sign", () => {
	it("is undefined when they are equal", () => {
		assert.equal(findSignedDifference(EXPECTED, EXPECTED), undefined);
	});

	it("is the first of several, with both sides", () => {
		const given = stringToSign({ ...PARTS, nonce: "another-nonce-16", method: "POST" });
		assert.deepEqual(findSignedDifference(EXPECTED, given), {
			line: 2,
			name: "method",
			expected: "GET",
			given: "POST",
			hint: "",
		});
	});

	it("recognizes the usual mistakes", () => {
		const target = (text: string) => stringToSign({ ...PARTS, target: text });
		const cases: readonly (readonly [string, number, RegExp])[] = [
			[`${EXPECTED}\n`, 10, /no line feed after the last/],
			[`${EXPECTED}\nmore`, 10, /only nine/],
			[EXPECTED.replaceAll("\n", "\r\n"), 1, /without CR/],
			[EXPECTED.split("\n").slice(0, 8).join("\n"), 9, /missing/],
			[EXPECTED.split("\n").slice(1).join("\n"), 1, /^$/],
			[stringToSign({ ...PARTS, method: "get" }), 2, /case/],
			[stringToSign({ ...PARTS, timestamp: "" }), 7, /empty/],
			[stringToSign({ ...PARTS, nonce: " nonce-nonce-nonce-1" }), 8, /spaces/],
			[target(`https://id.example.com${TARGET}`), 3, /without scheme and host/],
			[target(decodeURIComponent(TARGET)), 3, /percent-encoding/],
			[target("/api/v1/external/users?a=%2Fx&b=2"), 3, /order/],
			[target("/api/v1/external/users"), 3, /query is part/],
			[target(TARGET.slice("/api/v1".length)), 3, /beginning of the path/],
			[stringToSign({ ...PARTS, bodySha256: "a".repeat(64) }), 9, /no body/],
			[stringToSign({ ...PARTS, bodySha256: EMPTY_BODY_SHA256.toUpperCase() }), 9, /no body|lower case/],
			["", 1, /empty/],
		];
		for (const [given, line, hint] of cases) {
			const difference = found(given);
			assert.equal(difference?.[0], line, JSON.stringify(given));
			assert.match(difference?.[2] ?? "-", hint, JSON.stringify(given));
		}
	});

	it("recognizes the digest of a different body", () => {
		const expected = stringToSign({ ...PARTS, bodySha256: "b".repeat(64) });
		const hint = (bodySha256: string) =>
			findSignedDifference(expected, stringToSign({ ...PARTS, bodySha256 }))?.hint;
		assert.match(hint(EMPTY_BODY_SHA256) ?? "", /digest of an empty body/);
		assert.match(hint("B".repeat(64)) ?? "", /lower case/);
		assert.match(hint('{"a":1}') ?? "", /not the body itself/);
		assert.match(hint("c".repeat(64)) ?? "", /not the bytes that were sent/);
	});
});
