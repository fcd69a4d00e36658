import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { MINUTE_MS } from "../../../src/kernel/clock.ts";
import { addApplication, assertUnauthenticated } from "../../harness/applications.ts";
import { addProvider } from "../../harness/identity-providers.ts";
import {
	addPerson,
	auditOf,
	type Person,
	signInToApplication,
	takePasswordAway,
} from "../../harness/people.ts";
import { startTestService, type TestService } from "../../harness/service.ts";

const URI = "https://app.example.com/linked";
const pathOf = (slug: string) => `/api/v1/users/me/third-party-accounts/${slug}/start` as const;

describe("POST /api/v1/users/me/third-party-accounts/{provider}/start", () => {
	let service: TestService;
	let ada: Person;
	before(async () => {
		service = await startTestService();
		await addProvider(service, { provider: "corp" });
		await addApplication(service, { redirect_uris: [URI] });
		ada = await addPerson(service, "ada");
	});
	after(() => service.stop());

	const start = (body: unknown, slug = "corp", headers: Record<string, string> = {}) =>
		service.call("POST", pathOf(slug), { token: ada.token, body, headers });

	describe("200", () => {
		it("answers the address, and a new or existing cookie for the calling browser", async () => {
			const answer = await start({ redirect_uri: URI, password: ada.password });
			assert.deepEqual([answer.status, answer.headers["cache-control"]], [200, "no-store"]);
			assert.deepEqual(Object.keys(answer.body.data), ["authorization_url", "expires_in"]);
			const [cookie = ""] = answer.headers["set-cookie"] ?? [];
			assert.match(cookie, /^__Host-latchkey-browser=.*; Secure; HttpOnly; SameSite=Lax$/);
			const sent = { cookie: `other=1; ${cookie.split(";")[0]}` };
			const again = await start({ redirect_uri: URI, password: ada.password }, "corp", sent);
			assert.deepEqual(again.headers["set-cookie"], [cookie]);
		});
	});

	describe("400", () => {
		it("requires a registered redirect URI", async () => {
			const { password } = ada;
			for (const body of [{ password }, { password, redirect_uri: `${URI}/` }])
				assert.equal((await start(body)).status, 400);
		});

		it("needs the password of an account that has one, however fresh the sign-in", async () => {
			const eve = await addPerson(service, "eve");
			const ask = (fields: object) =>
				service.call("POST", pathOf("corp"), {
					token: eve.token,
					body: { redirect_uri: URI, ...fields },
					headers: { accept: "application/problem+json" },
				});
			const none = await ask({});
			assert.deepEqual([none.status, none.body.errors?.[0]?.field], [400, "password"]);
			const wrong = await ask({ password: "not the password" });
			assert.deepEqual([wrong.status, wrong.body.code], [400, "password.wrong"]);
			const [event] = (await auditOf(service, `user:${eve.id}`)).slice(-1);
			assert.deepEqual(
				[event?.action, event?.details],
				["third_party_account.link_failed", { reason: "password.wrong" }],
			);
			assert.equal((await ask({ password: eve.password })).status, 200);
			await takePasswordAway(service, eve.id);
			assert.equal((await ask({})).status, 200);
			service.clock.advance(6 * MINUTE_MS);
			assert.equal((await ask({})).status, 400);
		});
	});

	describe("401", () => {
		it("needs a token", () => assertUnauthenticated(service, "POST", pathOf("corp"), { redirect_uri: URI }));
	});

	describe("403", () => {
		it("refuses an application's token without the password", async () => {
			const fay = await addPerson(service, "fay");
			const token = await signInToApplication(service, fay);
			const ask = (fields: object) =>
				service.call("POST", pathOf("corp"), { token, body: { redirect_uri: URI, ...fields } });
			assert.equal((await ask({})).status, 403);
			assert.equal((await ask({ password: fay.password })).status, 200);
		});
	});

	describe("404", () => {
		it("refuses a provider that is absent or malformed", async () => {
			for (const slug of ["none", "Corp"])
				assert.equal((await start({ redirect_uri: URI, password: ada.password }, slug)).status, 404);
		});
	});
});
