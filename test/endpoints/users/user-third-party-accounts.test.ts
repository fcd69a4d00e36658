import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { addPerson, auditOf, lastAuditOf } from "../../harness/people/people.ts";
import { addSecondTenant } from "../../harness/people/second-tenant.ts";
import { withoutPassword } from "../../harness/providers/identity-providers.ts";
import { fixture, testService } from "../../harness/runs/fixture.ts";
import type { BodyOfRow } from "../../harness/service/wire-body.ts";

const pathOf = (id: string) => `/api/v1/users/${id}/third-party-accounts` as const;

const service = testService();

describe("GET /api/v1/users/{id}/third-party-accounts", () => {
	const ada = fixture(() => addPerson(service, "ada"));
	before(async () => {
		for (const provider of ["github", "wechat"])
			await service.asAdmin("POST", pathOf(ada.id), { provider, provider_user_id: "7" });
	});

	const list = async (id: string, query = "") =>
		service.callAsAdmin<BodyOfRow<"GET /api/v1/users/{id}/third-party-accounts">>(
			"GET",
			`${pathOf(id)}${query}`,
		);

	describe("200", () => {
		it("returns what the user sees", async () => {
			const own = await service.call("GET", pathOf("me"), { token: ada.token });
			assert.equal(own.body.total, 2);
			const { status, body } = await list(ada.id);
			assert.deepEqual([status, body], [200, own.body]);
		});

		it("returns pages, and an empty one for a user without accounts", async () => {
			const { body } = await list(ada.id, "?page=2&page_size=1");
			assert.deepEqual([body.data.length, body.total, body.page], [1, 2, 2]);
			const bob = await addPerson(service, "bob");
			assert.deepEqual((await list(bob.id)).body, { data: [], total: 0, page: 1, page_size: 20 });
		});
	});
});

describe("POST /api/v1/users/{id}/third-party-accounts", () => {
	const abe = fixture(() => addPerson(service, "abe"));
	const ann = fixture(() => addPerson(service, "ann"));

	const link = async (id: string, body: unknown, token?: string) =>
		service.call("POST", pathOf(id), {
			token: token ?? (await service.adminToken()),
			body,
			headers: { accept: "application/problem+json" },
		});

	describe("201", () => {
		it("links an account, and audits it without the provider's id", async () => {
			const earliest = service.clock.now();
			const { status, body } = await link(abe.id, {
				provider: "wechat",
				provider_user_id: "oX-1",
				id: "mine",
			});
			assert.equal(status, 201);
			const { id, linked_at, ...rest } = body.data;
			assert.deepEqual(rest, { provider: "wechat", provider_user_id: "oX-1" });
			assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7/);
			const linkedAtMs = Date.parse(linked_at);
			assert.ok(earliest <= linkedAtMs && linkedAtMs <= service.clock.now(), linked_at);
			assert.deepEqual((await auditOf(service, `user:${abe.id}`)).at(-1)?.details, {
				account_id: id,
				provider: "wechat",
			});
		});

		it("preserves the provider's id exactly: case, surrounding spaces, and length", async () => {
			for (const id of ["ox-1", " oX-1", "oX-1 ", "漢".repeat(255), "'; DROP TABLE users; --", "😀"]) {
				const { status, body } = await link(abe.id, { provider: "wechat", provider_user_id: id });
				assert.deepEqual([status, body.data.provider_user_id], [201, id]);
			}
		});

		it("accepts a slug of 64 characters, and the same id at another provider", async () => {
			for (const provider of ["a".repeat(64), "0", "my-provider_2"])
				assert.equal((await link(ann.id, { provider, provider_user_id: "oX-1" })).status, 201);
		});

		it("accepts the same account in another tenant", async () => {
			const other = await addSecondTenant(service);
			const body = { provider: "wechat", provider_user_id: "oX-1" };
			assert.equal((await link(other.adminId, body, other.adminToken)).status, 201);
		});
	});

	describe("400", () => {
		const good = { provider: "wechat", provider_user_id: "u-1" };
		const refused: readonly [string, Record<string, unknown>][] = [
			["provider_user_id", { provider_user_id: " \t\u3000" }],
			["provider_user_id", { provider_user_id: "a\0b" }],
			["provider_user_id", { provider_user_id: "a\ud800" }],
		];
		for (const [field, change] of refused) {
			it(`rejects ${JSON.stringify(change).slice(0, 60)} and names ${field}`, async () => {
				const { status, body } = await link(abe.id, { ...good, ...change });
				assert.equal(status, 400);
				assert.deepEqual(
					body.errors.map((error: { field: string }) => error.field),
					[field],
				);
			});
		}
	});

	describe("409", () => {
		it("rejects an account that another user or the same user has", async () => {
			const body = { provider: "feishu", provider_user_id: "on_1" };
			assert.equal((await link(abe.id, body)).status, 201);
			for (const id of [abe.id, ann.id]) {
				const response = await link(id, body);
				assert.deepEqual([response.status, response.body.code], [409, "third_party_account.linked"]);
			}
		});

		it("links once on concurrent requests", async () => {
			const body = { provider: "feishu", provider_user_id: "on_2" };
			const responses = await Promise.all(
				Array.from({ length: 20 }, (_, n) => link(n % 2 === 0 ? abe.id : ann.id, body)),
			);
			const statuses = responses.map(({ status }) => status);
			assert.equal(statuses.filter((status) => status === 201).length, 1);
			assert.equal(statuses.filter((status) => status === 409).length, 19);
		});
	});
});

describe("DELETE /api/v1/users/{id}/third-party-accounts/{account_id}", () => {
	let linked = 0;
	const amy = fixture(() => addPerson(service, "amy"));

	const link = async (id: string): Promise<string> => {
		const body = { provider: "github", provider_user_id: `user-${++linked}` };
		return (await service.asAdmin("POST", pathOf(id), body)).id;
	};
	const unlink = async (id: string, accountId: string, token?: string) =>
		service.call("DELETE", `${pathOf(id)}/${accountId}`, { token: token ?? (await service.adminToken()) });

	describe("204", () => {
		it("unlinks the account once, and audits it", async () => {
			const accountId = await link(amy.id);
			const response = await unlink(amy.id, accountId);
			assert.deepEqual([response.status, response.body], [204, undefined]);
			assert.equal((await unlink(amy.id, accountId)).status, 404);
			assert.deepEqual(await lastAuditOf(service, `user:${amy.id}`), [
				"third_party_account.unlinked",
				{ account_id: accountId },
			]);
		});
	});

	describe("409", () => {
		it("keeps the last sign-in method until the user has a password", async () => {
			const { userId, ids } = await withoutPassword(service, 1);
			assert.equal((await unlink(userId, ids[0] as string)).status, 409);
			const body = { password: "now there is a password" };
			await service.asAdmin("PATCH", `/api/v1/users/${userId}`, body);
			assert.equal((await unlink(userId, ids[0] as string)).status, 204);
		});
	});
});
