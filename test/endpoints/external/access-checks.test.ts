// Access checks, single and in batches.

import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { ABSENT_ID, addApiClient, addApplication, addRole, putGrant } from "../../harness/applications.ts";
import { fixture, testService } from "../../harness/fixture.ts";
import { addGroup, putGroupGrant } from "../../harness/groups.ts";
import { addPerson } from "../../harness/people.ts";
import { addSecondTenant } from "../../harness/second-tenant.ts";
import {
	assertHttpsOnly,
	assertScoped,
	type Client,
	problem,
	type SignedCall,
} from "../../harness/signed-endpoint.ts";

const CHECK_ACCESS = "/api/v1/external/users/check-access";

const service = testService();
const ada = fixture(() => addPerson(service, "ada"));

/** Two clients of a new application for assigned users; the second can check access to every application of the tenant. */
async function addAssigned(): Promise<[Client, Client]> {
	const { id: app_id } = await addApplication(service, { access_policy: "assigned" });
	const scopes = ["access:check", "access:check:tenant"];
	return [await addApiClient(service, { app_id }), await addApiClient(service, { app_id, scopes })];
}

describe("POST /api/v1/external/users/check-access", () => {
	const PATH = CHECK_ACCESS;

	let client: Client;
	let overseer: Client;
	let call: SignedCall;
	before(async () => {
		[client, overseer] = await addAssigned();
		call = { method: "POST", path: PATH, body: { user_id: ada.id } };
	});

	const check = (body: unknown, by: Client = client) => service.signed(by, "POST", PATH, { body });

	async function assertDenied(
		body: { user_id: string; app_id?: string },
		reason: string,
		by = client,
	): Promise<void> {
		const response = await check(body, by);
		assert.equal(response.status, 200);
		assert.deepEqual(response.body, {
			data: {
				allowed: false,
				reason,
				user_id: body.user_id,
				app_id: body.app_id ?? by.app_id,
				permission: null,
				roles: [],
				permissions: [],
			},
		});
	}

	async function patch(path: string, body: object): Promise<void> {
		const token = await service.adminToken();
		assert.equal((await service.call("PATCH", `/api/v1${path}`, { token, body })).status, 200);
	}

	describe("200", () => {
		it("allows assigned users, and sorts roles and permissions without duplicates", async () => {
			const { id } = await addPerson(service, "granted");
			await addRole(service, client.app_id, "writer", ["orders:write", "orders:read"]);
			await addRole(service, client.app_id, "reader", ["orders:read"]);
			await putGrant(service, client.app_id, id, ["writer", "reader"]);
			assert.deepEqual((await check({ user_id: id })).body, {
				data: {
					allowed: true,
					reason: "ok",
					user_id: id,
					app_id: client.app_id,
					permission: null,
					roles: ["reader", "writer"],
					permissions: ["orders:read", "orders:write"],
				},
			});
		});

		it("allows every user if the application is open", async () => {
			const { id: app_id } = await addApplication(service, { access_policy: "open" });
			const open = await addApiClient(service, { app_id });
			const { data } = (await check({ user_id: ada.id }, open)).body;
			assert.deepEqual([data.allowed, data.reason, data.app_id], [true, "ok", open.app_id]);
		});

		it("decides on one permission, by name and by pattern", async () => {
			const { id } = await addPerson(service, "clerk");
			await addRole(service, client.app_id, "clerk", ["orders:*", "stock:read"]);
			await putGrant(service, client.app_id, id, ["clerk"]);
			for (const [permission, allowed] of [
				["orders:read", true],
				["orders:read:all", true],
				["stock:read", true],
				["stock:write", false],
				["orders", false],
				["ordersx:read", false],
				["Orders:read", false],
				["*", false],
			] as const) {
				const { data } = (await check({ user_id: id, permission })).body;
				assert.equal(data.allowed, allowed, permission);
				assert.equal(data.reason, allowed ? "ok" : "missing_permission");
				assert.equal(data.permission, permission);
				assert.deepEqual(data.permissions, ["orders:*", "stock:read"]);
			}
		});

		it("denies with the first reason that applies: user, application, assignment, permission", async () => {
			const { id: app_id } = await addApplication(service, { access_policy: "assigned" });
			const { id: user_id } = await addPerson(service, "dora");
			await assertDenied({ user_id: ABSENT_ID, app_id: ABSENT_ID }, "user_not_found", overseer);
			await assertDenied({ user_id, app_id: ABSENT_ID }, "app_not_found", overseer);
			await assertDenied({ user_id, app_id }, "not_assigned", overseer);
			await patch(`/applications/${app_id}`, { status: "disabled" });
			await assertDenied({ user_id, app_id }, "app_disabled", overseer);
			await patch(`/users/${user_id}`, { status: "disabled" });
			await assertDenied({ user_id, app_id }, "user_disabled", overseer);
		});

		it("takes effect with the next call: grant, role and revocation", async () => {
			const { id: user_id } = await addPerson(service, "erin");
			await assertDenied({ user_id }, "not_assigned");
			await putGrant(service, client.app_id, user_id);
			assert.equal((await check({ user_id })).body.data.allowed, true);
			const token = await service.adminToken();
			const grant = `/api/v1/applications/${client.app_id}/grants/users/${user_id}`;
			assert.equal((await service.call("DELETE", grant, { token })).status, 204);
			await assertDenied({ user_id }, "not_assigned");
		});

		it("does not find users and applications of another tenant", async () => {
			const second = await addSecondTenant(service);
			await assertDenied({ user_id: second.adminId }, "user_not_found");
			const token = second.adminToken;
			const application = await service.call("POST", "/api/v1/applications", {
				token,
				body: { name: "Theirs" },
			});
			await assertDenied({ user_id: ada.id, app_id: application.body.data.id }, "app_not_found", overseer);
		});

		it("accepts ids in upper case, and ignores unknown fields", async () => {
			const body = { user_id: ada.id.toUpperCase(), app_id: client.app_id.toUpperCase(), allowed: true };
			const { data } = (await check(body)).body;
			assert.deepEqual([data.user_id, data.app_id, data.allowed], [ada.id, client.app_id, false]);
		});
	});

	describe("400", () => {
		it("rejects ids that are absent or not UUIDs, and a permission that is blank or too long", async () => {
			const user_id = ada.id;
			for (const body of [
				{},
				{ user_id: null },
				{ user_id: 7 },
				{ user_id: "" },
				{ user_id: "me" },
				{ user_id: `${user_id}0` },
				{ user_id: [user_id] },
				{ user_id, app_id: null },
				{ user_id, app_id: "default" },
				{ user_id, permission: "" },
				{ user_id, permission: " " },
				{ user_id, permission: null },
				{ user_id, permission: "p".repeat(129) },
				{ user_id, permission: "a\0b" },
				{ user_id, permission: "\udfff" },
			]) {
				const response = await problem(service, client, { ...call, body });
				assert.equal(response, "400 request.invalid", JSON.stringify(body));
			}
			const longest = await check({ user_id, permission: "p".repeat(128) });
			assert.equal(longest.status, 200);
		});
	});

	describe("403", () => {
		it("requires the scope access:check", () => assertScoped(service, "access:check", call));

		it("requires access:check:tenant for another application, whether it exists or not", async () => {
			const other = await addApplication(service);
			for (const app_id of [other.id, ABSENT_ID]) {
				const body = { user_id: ada.id, app_id };
				assert.equal(await problem(service, client, { ...call, body }), "403 scope.missing");
				assert.equal((await check(body, overseer)).status, 200);
			}
			assert.equal((await check({ user_id: ada.id, app_id: client.app_id })).status, 200);
		});
	});

	describe("426", () => {
		it("requires HTTPS", () => assertHttpsOnly(service, call));
	});
});

describe("POST /api/v1/external/users/check-access/batch", () => {
	const PATH = `${CHECK_ACCESS}/batch` as const;

	let client: Client;
	let overseer: Client;
	let call: SignedCall;
	before(async () => {
		[client, overseer] = await addAssigned();
		call = { method: "POST", path: PATH, body: { checks: [{ user_id: ada.id }] } };
	});

	const check = (checks: unknown, by: Client = client, more: object = {}) =>
		service.signed(by, "POST", PATH, { body: { checks, ...more } });

	describe("200", () => {
		it("returns what check-access returns, in the order of the checks", async () => {
			const { id: other } = await addApplication(service, { access_policy: "open" });
			const bob = await addPerson(service, "bob");
			await addRole(service, client.app_id, "reader", ["orders:read"]);
			await addRole(service, client.app_id, "writer", ["orders:write"]);
			await putGrant(service, client.app_id, bob.id, ["reader"]);
			const group = await addGroup(service, [ada.id, bob.id]);
			await putGroupGrant(service, client.app_id, group.id, ["writer", "reader"]);
			const checks = [
				{ user_id: bob.id, permission: "orders:write" },
				{ user_id: ABSENT_ID },
				{ user_id: ada.id },
				{ user_id: ada.id, app_id: other },
				{ user_id: ada.id, app_id: ABSENT_ID },
				{ user_id: bob.id, permission: "bills:read" },
				{ user_id: bob.id, permission: "orders:write" },
			];
			const { status, body } = await check(checks, overseer, { include_permissions: true });
			assert.equal(status, 200);
			const alone = [];
			for (const one of checks)
				alone.push((await service.signed(overseer, "POST", CHECK_ACCESS, { body: one })).body.data);
			assert.deepEqual(body, { data: alone });
			assert.deepEqual(
				body.data.map(({ reason }) => reason),
				["ok", "user_not_found", "ok", "ok", "app_not_found", "missing_permission", "ok"],
			);
			assert.deepEqual(body.data[0]?.roles, ["reader", "writer"]);
			const brief = await check(checks, overseer);
			assert.deepEqual(
				brief.body.data,
				alone.map(({ permissions: _, ...rest }) => rest),
			);
		});

		it("returns a bounded number of names, marks the result as truncated, and decides by all of them", async () => {
			const rich = await addApiClient(service, { app_id: (await addApplication(service)).id });
			const { id: user_id } = await addPerson(service, "rich");
			const names = Array.from({ length: 60 }, (_, role) => `role-${role}`.padEnd(64, "-"));
			for (const [role, name] of names.entries()) {
				const permissions = Array.from({ length: 200 }, (_, one) => `${role}:${one}:`.padEnd(128, "p"));
				await addRole(service, rich.app_id, name, permissions);
			}
			await putGrant(service, rich.app_id, user_id, names);
			const permission = "59:199:".padEnd(128, "p");
			const checks = Array.from({ length: 100 }, () => ({ user_id, permission }));

			const brief = await check(checks, rich);
			assert.ok(brief.body.data.every((one) => !("permissions" in one)));
			assert.ok(JSON.stringify(brief.body).length < 1_000_000);

			const { body } = await check(checks, rich, { include_permissions: true });
			assert.ok(JSON.stringify(body).length < 2_500_000);
			for (const { allowed, roles, permissions, truncated } of body.data)
				assert.deepEqual([allowed, roles.length, permissions?.length, truncated], [true, 60, 100, true]);

			const ten = (await check(checks.slice(0, 10), rich, { include_permissions: true })).body.data;
			assert.deepEqual([ten[0]?.permissions?.length, ten[0]?.truncated], [1_000, true]);
			const alone = (await service.signed(rich, "POST", CHECK_ACCESS, { body: checks[0] })).body.data;
			assert.deepEqual([alone.allowed, alone.permissions.length, alone.truncated], [true, 1_000, true]);
			assert.deepEqual(alone.permissions, alone.permissions.toSorted());
		});

		it("accepts a hundred checks", async () => {
			const { status, body } = await check(Array.from({ length: 100 }, () => ({ user_id: ada.id })));
			assert.deepEqual([status, body.data.length], [200, 100]);
		});
	});

	describe("400", () => {
		it("names the invalid field and its check", async () => {
			const user_id = ada.id;
			for (const [body, field] of [
				[{}, "checks"],
				[{ checks: [] }, "checks"],
				[{ checks: { user_id } }, "checks"],
				[{ checks: Array.from({ length: 101 }, () => ({ user_id })) }, "checks"],
				[{ checks: [{ user_id }, {}] }, "checks.1.user_id"],
				[{ checks: [{ user_id, app_id: "x" }] }, "checks.0.app_id"],
				[{ checks: [{ user_id, permission: "p".repeat(129) }] }, "checks.0.permission"],
				[{ checks: ["x"] }, "checks.0"],
				[{ checks: [{ user_id }], include_permissions: "yes" }, "include_permissions"],
			] as const) {
				const headers = { accept: "application/problem+json" };
				const response = await service.signed(client, "POST", PATH, { body, headers });
				const fields = response.body.errors.map((error) => error.field);
				assert.deepEqual([response.status, fields], [400, [field]]);
			}
		});
	});

	describe("403", () => {
		it("requires the scope access:check", () => assertScoped(service, "access:check", call));

		it("refuses all checks for one about another application, and names it", async () => {
			const body = { checks: [{ user_id: ada.id }, { user_id: ada.id, app_id: ABSENT_ID }] };
			assert.equal(await problem(service, client, { ...call, body }), "403 scope.missing");
			const headers = { accept: "application/problem+json" };
			const response = await service.signed(client, "POST", PATH, { body, headers });
			assert.deepEqual(response.body.errors[0]?.field, "checks.1.app_id");
			assert.equal((await check(body.checks, overseer)).status, 200);
		});
	});

	describe("426", () => {
		it("requires HTTPS", () => assertHttpsOnly(service, call));
	});
});
