// `POST /oauth/authorize`: what the form may be, and where it leads.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type * as client from "openid-client";
import { ask, connect, fetchFrom, ISSUER, relyingParty, startOpenIdService } from "../harness/openid.ts";
import type { TestService } from "../harness/service.ts";

const ADDRESS = `${ISSUER}/oauth/authorize`;
const FORM = { "content-type": "application/x-www-form-urlencoded" };

describe("POST /oauth/authorize", () => {
	let service: TestService;
	let party: client.Configuration;
	before(async () => {
		service = await startOpenIdService();
	});
	after(() => service.stop());

	const post = (body: string, headers: Record<string, string> = FORM, address = ADDRESS) =>
		fetchFrom(service)(address, { method: "POST", body, headers });

	it("is not there before the first client", async () => {
		assert.equal((await post("client_id=x")).status, 404);
		party = await relyingParty(service, await connect(service));
	});

	it("leads to the same request by GET, at the issuer, with what was sent and no more", async () => {
		const { searchParams } = (await ask(party, { state: "a+b &ü=%2F", scope: "openid  openid" })).url;
		searchParams.append("state", "another");
		const headers = { ...FORM, "x-forwarded-host": "evil.example", origin: "https://shop.example" };
		const answer = await post(searchParams.toString(), headers);
		assert.equal(answer.status, 303);
		const { origin, pathname, searchParams: kept, hash } = new URL(answer.headers.get("location") ?? "");
		assert.deepEqual([origin + pathname, [...kept], hash], [ADDRESS, [...searchParams], ""]);
		assert.equal(answer.headers.get("set-cookie"), null);
		assert.equal(answer.headers.get("cache-control"), "no-store");
	});

	const REFUSED: readonly (readonly [string, string, Record<string, string>, string, RegExp])[] = [
		[
			"JSON",
			"{}",
			{ "content-type": "application/json" },
			"",
			/the body must be application\/x-www-form-urlencoded/,
		],
		[
			"a form of files",
			"--a--",
			{ "content-type": "multipart/form-data; boundary=a" },
			"",
			/the body must be/,
		],
		["parameters in the address", "scope=openid", FORM, "?prompt=none", /must be in its body/],
		["more than fits an address", `state=${"s".repeat(8_192)}`, FORM, "", /at most 8192 bytes/],
		["characters that grow", `state=${"ü".repeat(2_000)}`, FORM, "", /at most 8192 bytes/],
	];
	for (const [what, body, headers, query, message] of REFUSED)
		it(`refuses ${what}`, async () => {
			const answer = await post(body, headers, ADDRESS + query);
			const { error, error_description } = (await answer.json()) as Record<string, string>;
			assert.deepEqual([answer.status, error], [400, "invalid_request"]);
			assert.match(error_description ?? "", message);
			assert.equal(answer.headers.get("location"), null);
		});

	it("takes what just fits, which the address then takes too", async () => {
		const answer = await post(`client_id=x&state=${"s".repeat(8_192 - 18)}`);
		assert.equal(answer.status, 303);
		const next = await fetchFrom(service)(answer.headers.get("location") ?? "");
		const { error } = (await next.json()) as Record<string, string>;
		assert.deepEqual([next.status, error], [400, "invalid_client"]);
	});
});
