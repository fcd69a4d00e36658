// Access checks.

import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import {
	ABSENT_ID,
	addApiClient,
	addApplication,
	addRole,
	putGrant,
} from "../../harness/access/applications.ts";
import { addGroup, putGroupGrant } from "../../harness/access/groups.ts";
import { type Client, problem, type SignedCall } from "../../harness/access/signed-endpoint.ts";
import { addPerson } from "../../harness/people/people.ts";
import { addSecondTenant } from "../../harness/people/second-tenant.ts";
import { fixture, testService } from "../../harness/runs/fixture.ts";

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
		assert.equal((await service.callAsAdmin("PATCH", `/api/v1${path}`, { body })).status, 200);
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

		it("combines the roles of the user and of groups", async () => {
			const { id: user_id } = await addPerson(service, "bob");
			await addRole(service, client.app_id, "approver", ["bills:approve"]);
			await addRole(service, client.app_id, "auditor", ["bills:read"]);
			await putGrant(service, client.app_id, user_id, ["auditor"]);
			const group = await addGroup(service, [user_id]);
			await putGroupGrant(service, client.app_id, group.id, ["approver", "auditor"]);
			const { data } = (await check({ user_id, permission: "bills:approve" })).body;
			assert.deepEqual([data.allowed, data.roles], [true, ["approver", "auditor"]]);
		});

		it("lists a bounded number of names, marks the lists as truncated, and decides by all of them", async () => {
			const { id: user_id } = await addPerson(service, "rich");
			const names = Array.from({ length: 6 }, (_, role) => `role-${role}`);
			for (const [role, name] of names.entries()) {
				const permissions = Array.from({ length: 200 }, (_, one) => `${role}:${one}:`.padEnd(128, "p"));
				await addRole(service, client.app_id, name, permissions);
			}
			await putGrant(service, client.app_id, user_id, names);
			const { data } = (await check({ user_id, permission: "5:199:".padEnd(128, "p") })).body;
			assert.deepEqual([data.allowed, data.permissions.length, data.truncated], [true, 1_000, true]);
			assert.deepEqual(data.permissions, data.permissions.toSorted());
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
			const grant = `/api/v1/applications/${client.app_id}/grants/users/${user_id}`;
			assert.equal((await service.callAsAdmin("DELETE", grant)).status, 204);
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

	describe("403", () => {
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
});
