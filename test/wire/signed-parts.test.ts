// A signature covers exactly the sent request: one changed bit in target, body, or headers invalidates it.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { addApiClient } from "../harness/access/applications.ts";
import {
	CHECK_ACCESS,
	changing,
	sendSigned,
	verdict,
	WHOAMI,
	type WireRequest,
} from "../harness/access/signed-wire.ts";
import { fixture, testService } from "../harness/runs/fixture.ts";

const service = testService();
const client = fixture(() => addApiClient(service));

const send = (request: WireRequest): Promise<string> => verdict(sendSigned(service, client, request));
const INVALID = "401 signature.invalid";

/** The text with one flipped bit; hex digits and the letters a to f stay well-formed. */
function flipBit(text: string): string {
	for (let at = text.length - 1; at >= 0; at--) {
		for (const bit of [1, 2, 4]) {
			const flipped = String.fromCharCode(text.charCodeAt(at) ^ bit);
			if (/[0-9a-f]/.test(text.charAt(at)) && /[0-9a-f]/.test(flipped))
				return text.slice(0, at) + flipped + text.slice(at + 1);
		}
	}
	throw new Error(`nothing to flip in ${text}`);
}

describe("a signed request with one bit flipped", () => {
	for (const name of ["X-Tenant-ID", "X-App-ID", "X-API-Key", "X-Timestamp", "X-Nonce", "X-Signature"]) {
		test(`in ${name}`, async () => {
			const nonce = `${crypto.randomUUID()}-0f`;
			assert.equal(await send({ nonce, spoil: changing(name, flipBit) }), INVALID);
			assert.equal(await send({ nonce }), "200");
		});
	}

	test("in the body", async () => {
		const body = JSON.stringify({ user_id: client.app_id });
		for (let byte = 0; byte < body.length; byte += 7) {
			const spoilt = Buffer.from(body);
			spoilt[byte] = (spoilt[byte] as number) ^ 1;
			assert.equal(await send({ body, sent: { body: spoilt } }), INVALID);
		}
		assert.equal(await send({ body }), "200");
	});

	test("in the path", async () => {
		const target = `/api/v1/external/users/${client.app_id}`;
		assert.equal(await send({ target, sent: { target: flipBit(target) } }), INVALID);
		assert.equal(await send({ target }), "404 user.not_found");
	});

	test("in the query", async () => {
		assert.equal(await send({ target: `${WHOAMI}?a=b`, sent: { target: `${WHOAMI}?a=c` } }), INVALID);
		assert.equal(await send({ target: `${WHOAMI}?a=b` }), "200");
	});
});

describe("a signed request that differs from what was signed", () => {
	const targets: [what: string, signed: string, sent: string][] = [
		["reordered query", "?b=2&a=1", "?a=1&b=2"],
		["%2f for %2F", "?a=%2F", "?a=%2f"],
		["/ for %2F", "?a=%2F", "?a=/"],
		["// for /", "?a=/", "?a=//"],
		["%20 for +", "?a=+", "?a=%20"],
		["~ for %7E", "?a=%7E", "?a=~"],
		["an empty query", "", "?"],
		["a parameter dropped", "?a=1&a=2", "?a=1"],
		["a parameter added", "?a=1", "?a=1&b"],
	];
	for (const [what, signed, sent] of targets) {
		test(what, async () => {
			assert.equal(await send({ target: WHOAMI + signed, sent: { target: WHOAMI + sent } }), INVALID);
			assert.equal(await send({ target: WHOAMI + signed }), "200");
			assert.equal(await send({ target: WHOAMI + sent }), "200");
		});
	}

	test("an encoded letter of the path", async () => {
		const encoded = "/api/v1/external/%77hoami";
		assert.equal(await send({ target: WHOAMI, sent: { target: encoded } }), INVALID);
		assert.equal(await send({ target: encoded }), "200");
	});

	test("another method", async () => {
		assert.equal(await send({ sent: { method: "HEAD" } }).then((text) => text.slice(0, 3)), "401");
		assert.equal(await send({ method: "HEAD" }), "200");
	});

	test("another endpoint with the same body", async () => {
		const body = JSON.stringify({ provider: "github", provider_user_id: "7", user_id: client.app_id });
		const sent = { target: "/api/v1/external/third-party/find-user" };
		assert.equal(await send({ body, target: CHECK_ACCESS, sent }), INVALID);
	});

	test("an absent body equals an empty one and differs from {}", async () => {
		assert.equal(await send({ body: "{}", sent: { body: "" } }), INVALID);
		assert.equal(await send({ body: "", sent: { body: "{}" } }), INVALID);
		assert.equal(await send({ body: "" }), "400 request.invalid");
	});
});

describe("an ambiguous target", () => {
	test("in absolute form is refused with any host, signed either way", async () => {
		for (const origin of [
			"https://localhost",
			"http://evil.example",
			`https://127.0.0.1:${service.httpsPort}`,
		]) {
			const target = origin + WHOAMI;
			assert.equal(await send({ target }), "400 request.target_form");
			assert.equal(await send({ sent: { target } }), "400 request.target_form");
		}
	});

	test("with a fragment is refused", async () => {
		for (const target of [`${WHOAMI}#x`, `${WHOAMI}?a=1#x`, `${WHOAMI}#`]) {
			assert.equal(await send({ target }), "400 request.target_form");
		}
	});

	test("is never normalized: another spelling of the path returns 404", async () => {
		for (const target of [
			"/api/v1/external//whoami",
			"//api/v1/external/whoami",
			"/api/v1/external/./whoami",
			"/api/v1/external/x/../whoami",
			"/api/v1/external/whoami/",
			"/api/v1/external/WHOAMI",
			"/api/v1/external%2Fwhoami",
			"/api/v1/external/whoami;a=1",
		]) {
			assert.equal(await send({ target }), "404 route.not_found", target);
		}
	});
});
