import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Answer } from "../../harness/service.ts";
import {
	newJar,
	openStage,
	PUBLIC_URL,
	parametersOf,
	type Stage,
	THIRD_PARTY,
} from "../../harness/third-party.ts";

const FORM = "application/x-www-form-urlencoded";

describe("POST /api/v1/auth/third-party/{provider}/callback", () => {
	let stage: Stage;
	before(async () => {
		stage = await openStage([{ sub: "one" }]);
		await stage.addProvider("open", { sign_up: true });
	});
	after(() => stage?.stop());

	const post = (body: string, contentType = FORM, slug = "open"): Promise<Answer> =>
		stage.service.call("POST", `${THIRD_PARTY}/${slug}/callback`, {
			https: true,
			body: Buffer.from(body),
			headers: { "content-type": contentType },
		});

	describe("303", () => {
		it("continues to the callback with the relevant fields of the form, where the cookie is sent", async () => {
			const jar = newJar();
			const callback = await stage.goThrough(jar, await stage.start("open"), "one");
			const answer = await post(`${callback.searchParams}&id_token=x&user=%7B%7D`, `${FORM}; charset=UTF-8`);
			assert.equal(answer.status, 303);
			const next = new URL(String(answer.headers.location));
			assert.equal(next.origin + next.pathname, `${PUBLIC_URL}${THIRD_PARTY}/open/callback`);
			const { state, code, iss } = Object.fromEntries(callback.searchParams);
			assert.deepEqual(Object.fromEntries(next.searchParams), { state, code, iss, user: "{}" });
			assert.equal((await stage.visit(newJar(), next)).status, 400);
			assert.ok(parametersOf(await stage.visit(jar, next)).has("ticket"));
		});

		it("stays on this service, with any form content", async () => {
			const answer = await post("state=%0d%0aLocation:%20https://evil.example&error=https://evil.example");
			assert.equal(new URL(String(answer.headers.location)).origin, PUBLIC_URL);
		});
	});

	describe("400", () => {
		it("refuses a body that is no form, repeats a field, or is too large", async () => {
			assert.equal((await post("state=1&code=2", "text/plain")).status, 400);
			assert.equal((await post('{"state":"1"}', "application/json")).status, 400);
			for (const body of ["", "other=1", "state=1&state=2", `state=1&code=${"x".repeat(9_000)}`])
				assert.equal((await post(body)).status, 400, body.slice(0, 40));
		});
	});

	describe("404", () => {
		it("refuses a provider of a malformed name", async () => {
			assert.equal((await post("state=1", FORM, "Open")).status, 404);
		});
	});
});
