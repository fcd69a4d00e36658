import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { addPerson, auditOf, type Person } from "../../harness/people.ts";
import { addSecondTenant } from "../../harness/second-tenant.ts";
import { startTestService, type TestService } from "../../harness/service.ts";

const pathOf = (id: string) => `/api/v1/users/${id}/third-party-accounts` as const;

describe("POST /api/v1/users/{id}/third-party-accounts", () => {
	let service: TestService;
	let ada: Person;
	let bob: Person;
	before(async () => {
		service = await startTestService();
		ada = await addPerson(service, "ada");
		bob = await addPerson(service, "bob");
	});
	after(() => service.stop());

	const link = async (id: string, body: unknown, token?: string) =>
		service.call("POST", pathOf(id), {
			token: token ?? (await service.adminToken()),
			body,
			headers: { accept: "application/problem+json" },
		});

	describe("201", () => {
		it("links an account and writes it down, without the provider's id", async () => {
			const { status, body } = await link(ada.id, {
				provider: "wechat",
				provider_user_id: "oX-1",
				id: "mine",
			});
			assert.equal(status, 201);
			const { id, linked_at, ...rest } = body.data;
			assert.deepEqual(rest, { provider: "wechat", provider_user_id: "oX-1" });
			assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7/);
			assert.ok(Math.abs(Date.parse(linked_at) - service.clock.now()) < 10_000);
			assert.deepEqual((await auditOf(service, `user:${ada.id}`)).at(-1)?.details, {
				account_id: id,
				provider: "wechat",
			});
		});

		it("takes the provider's id exactly: case, blanks at its ends and length", async () => {
			for (const id of ["ox-1", " oX-1", "oX-1 ", "漢".repeat(255), "'; DROP TABLE users; --", "😀"]) {
				const { status, body } = await link(ada.id, { provider: "wechat", provider_user_id: id });
				assert.deepEqual([status, body.data.provider_user_id], [201, id]);
			}
		});

		it("takes a slug of 64 characters, and the same id at another provider", async () => {
			for (const provider of ["a".repeat(64), "0", "my-provider_2"])
				assert.equal((await link(bob.id, { provider, provider_user_id: "oX-1" })).status, 201);
		});

		it("leaves other tenants unchanged", async () => {
			const other = await addSecondTenant(service);
			const body = { provider: "wechat", provider_user_id: "oX-1" };
			assert.equal((await link(other.adminId, body, other.adminToken)).status, 201);
		});
	});

	describe("400", () => {
		const good = { provider: "wechat", provider_user_id: "u-1" };
		const refused: readonly [string, Record<string, unknown>][] = [
			["provider", { provider: "WeChat" }],
			["provider", { provider: "-wechat" }],
			["provider", { provider: "we chat" }],
			["provider", { provider: "a".repeat(65) }],
			["provider", { provider: "" }],
			["provider", { provider: undefined }],
			["provider", { provider: 1 }],
			["provider_user_id", { provider_user_id: "" }],
			["provider_user_id", { provider_user_id: " \t\u3000" }],
			["provider_user_id", { provider_user_id: "x".repeat(256) }],
			["provider_user_id", { provider_user_id: "a\0b" }],
			["provider_user_id", { provider_user_id: "a\ud800" }],
			["provider_user_id", { provider_user_id: 12345 }],
			["provider_user_id", { provider_user_id: undefined }],
		];
		for (const [field, change] of refused) {
			it(`refuses ${JSON.stringify(change).slice(0, 60)} and names ${field}`, async () => {
				const { status, body } = await link(ada.id, { ...good, ...change });
				assert.equal(status, 400);
				assert.deepEqual(
					body.errors.map((error: { field: string }) => error.field),
					[field],
				);
			});
		}
	});

	describe("401", () => {
		it("needs a token", async () => {
			assert.equal((await service.call("POST", pathOf(ada.id), { body: {} })).status, 401);
		});
	});

	describe("403", () => {
		const body = { provider: "github", provider_user_id: "my own" };

		it("allows admins only", async () => {
			const auditor = await addPerson(service, "auditor", { roles: ["auditor"] });
			const reviewer = await addPerson(service, "reviewer", { roles: ["reviewer"] });
			for (const { token } of [ada, auditor, reviewer])
				assert.equal((await link(ada.id, body, token)).status, 403);
		});

		it("keeps a plain admin from becoming a platform admin through a provider", async () => {
			const admin = await addPerson(service, "plain-admin", { roles: ["admin"] });
			const first = await service.call("GET", "/api/v1/users/me", { token: await service.adminToken() });
			const answer = await link(first.body.data.id, body, admin.token);
			assert.deepEqual([answer.status, answer.body.code], [403, "role.required"]);
			assert.equal((await link(first.body.data.id, body)).status, 201);
		});
	});

	describe("404", () => {
		it("answers foreign, absent and malformed ids alike", async () => {
			const other = await addSecondTenant(service);
			const body = { provider: "gitlab", provider_user_id: "1" };
			assert.equal((await link(other.adminId, body)).status, 404);
			assert.equal((await link(ada.id, body, other.adminToken)).status, 404);
			for (const id of ["0190a0a0-0000-7000-8000-000000000000", "Me", "nobody"])
				assert.equal((await link(id, body)).status, 404, id);
		});
	});

	describe("409", () => {
		it("refuses an account that anybody has, the same user too", async () => {
			const body = { provider: "feishu", provider_user_id: "on_1" };
			assert.equal((await link(ada.id, body)).status, 201);
			for (const id of [ada.id, bob.id]) {
				const answer = await link(id, body);
				assert.deepEqual([answer.status, answer.body.code], [409, "third_party_account.linked"]);
			}
		});

		it("accepts one of many simultaneous requests", async () => {
			const body = { provider: "feishu", provider_user_id: "on_2" };
			const answers = await Promise.all(
				Array.from({ length: 50 }, (_, n) => link(n % 2 === 0 ? ada.id : bob.id, body)),
			);
			const statuses = answers.map(({ status }) => status);
			assert.equal(statuses.filter((status) => status === 201).length, 1);
			assert.equal(statuses.filter((status) => status === 409).length, 49);
		});
	});
});
