import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { addPerson, auditOf, isAlive, type Person } from "../../harness/people/people.ts";
import { addProvider, withoutPassword } from "../../harness/providers/identity-providers.ts";
import { fixture, testService } from "../../harness/runs/fixture.ts";

const PATH = "/api/v1/users/me/third-party-accounts";
const PAGE = "/account";
const startOf = (provider: string) => `${PATH}/${provider}/start` as const;

const service = testService();

describe("GET /api/v1/users/me/third-party-accounts", () => {
	const ada = fixture(() => addPerson(service, "ada"));
	before(async () => {
		const eve = await addPerson(service, "eve");
		for (const [person, provider] of [
			[ada, "github"],
			[eve, "feishu"],
			[ada, "wechat"],
		] as const) {
			const body = { provider, provider_user_id: `at-${provider}` };
			await service.asAdmin("POST", `/api/v1/users/${person.id}/third-party-accounts`, body);
			service.clock.advance(1_000);
		}
	});

	describe("200", () => {
		it("returns the accounts of the caller, the last linked first", async () => {
			const { status, body } = await service.call("GET", PATH, { token: ada.token });
			assert.equal(status, 200);
			assert.deepEqual([body.total, body.page, body.page_size], [2, 1, 20]);
			const [newer, older] = body.data;
			assert.ok(newer);
			const { id, linked_at, ...rest } = newer;
			assert.deepEqual(rest, { provider: "wechat", provider_user_id: "at-wechat" });
			assert.match(id, /^[0-9a-f-]{36}$/);
			assert.match(linked_at, /Z$/);
			assert.equal(older?.provider, "github");
		});

		it("returns pages", async () => {
			const { body } = await service.call("GET", `${PATH}?page=2&page_size=1`, { token: ada.token });
			assert.deepEqual([body.total, body.page, body.page_size], [2, 2, 1]);
			assert.equal(body.data[0]?.provider, "github");
		});

		it("returns an empty page for a user without accounts", async () => {
			const bob = await addPerson(service, "bob");
			const { body } = await service.call("GET", PATH, { token: bob.token });
			assert.deepEqual(body, { data: [], total: 0, page: 1, page_size: 20 });
		});
	});
});

describe("POST /api/v1/users/me/third-party-accounts/{provider}/start", () => {
	before(async () => {
		await addProvider(service, { provider: "corp", kind: "github", issuer: null });
	});
	const abe = fixture(() => addPerson(service, "abe"));

	const start = (body: unknown, headers: Record<string, string> = {}) =>
		service.call("POST", startOf("corp"), { token: abe.token, body, headers });

	describe("200", () => {
		it("returns the address, and sets a new cookie or keeps the existing one of the browser", async () => {
			const response = await start({ return_to: PAGE, password: abe.password });
			assert.deepEqual([response.status, response.headers["cache-control"]], [200, "no-store"]);
			assert.deepEqual(Object.keys(response.body.data), ["authorization_url", "expires_in"]);
			const [cookie = ""] = response.headers["set-cookie"] ?? [];
			assert.match(cookie, /^__Host-latchkey-browser=.*; Secure; HttpOnly; SameSite=Lax$/);
			const sent = { cookie: `other=1; ${cookie.split(";")[0]}` };
			const again = await start({ return_to: PAGE, password: abe.password }, sent);
			assert.deepEqual(again.headers["set-cookie"], [cookie]);
		});
	});

	describe("400", () => {
		it("requires a page of the service", async () => {
			const { password } = abe;
			for (const body of [
				{ password },
				{ password, return_to: "//evil.example" },
				{ password, return_to: "/docs" },
			])
				assert.equal((await start(body)).status, 400);
		});
	});
});

describe("DELETE /api/v1/users/me/third-party-accounts/{id}", () => {
	const amy = fixture(() => addPerson(service, "amy"));

	const link = async (person: Person, providerUserId: string): Promise<string> => {
		const body = { provider: "wechat", provider_user_id: providerUserId };
		const path = `/api/v1/users/${person.id}/third-party-accounts` as const;
		return (await service.asAdmin("POST", path, body)).id;
	};
	const unlink = (token: string, id: string) => service.call("DELETE", `${PATH}/${id}`, { token });

	describe("204", () => {
		it("unlinks the account, keeps the session, allows linking again, and audits both", async () => {
			const id = await link(amy, "o-1");
			const response = await unlink(amy.token, id);
			assert.deepEqual([response.status, response.body], [204, undefined]);
			assert.equal((await service.call("GET", PATH, { token: amy.token })).body.total, 0);
			assert.equal(await isAlive(service, amy.token), true);
			assert.notEqual(await link(amy, "o-1"), id);
			const events = (await auditOf(service, `user:${amy.id}`)).filter(
				({ details }) => details.account_id === id,
			);
			assert.deepEqual(
				events.map(({ actor, action }) => [actor === `user:${amy.id}`, action]),
				[
					[false, "third_party_account.linked"],
					[true, "third_party_account.unlinked"],
				],
			);
		});

		it("unlinks once on concurrent requests", async () => {
			const id = await link(amy, "o-2");
			const responses = await Promise.all(Array.from({ length: 5 }, () => unlink(amy.token, id)));
			assert.deepEqual(responses.map(({ status }) => status).toSorted(), [204, 404, 404, 404, 404]);
		});
	});

	describe("409", () => {
		it("keeps the last sign-in method, even with two concurrent removals", async () => {
			const { token, ids } = await withoutPassword(service, 2);
			const responses = await Promise.all(ids.map((id) => unlink(token, id)));
			assert.deepEqual(responses.map(({ status }) => status).toSorted(), [204, 409]);
			const [left] = (await service.call("GET", PATH, { token })).body.data;
			assert.ok(left);
			assert.match((await unlink(token, left.id)).body.error, /last way to sign in/);
		});

		it("allows the removal when a passkey is left", async () => {
			const { userId, token, ids } = await withoutPassword(service, 1);
			await using engine = await service.openDatabase();
			await engine.queries.run(
				`INSERT INTO passkeys (id, tenant_id, user_id, name, credential_id, public_key, sign_count, transports, aaguid, synced, automatic, created_at)
				 SELECT id, tenant_id, id, '', id, '', 0, '', '', 0, 0, 0 FROM users WHERE id = $1`,
				userId,
			);
			assert.equal((await unlink(token, ids[0] as string)).status, 204);
		});

		it("does not count an account at an unknown provider", async () => {
			const { token, ids } = await withoutPassword(service, 1);
			const me = (await service.call("GET", "/api/v1/users/me", { token })).body.data;
			const path = `/api/v1/users/${me.id}/third-party-accounts` as const;
			const body = { provider: "nowhere", provider_user_id: me.id };
			await service.asAdmin("POST", path, body);
			assert.equal((await unlink(token, ids[0] as string)).status, 409);
		});
	});
});
