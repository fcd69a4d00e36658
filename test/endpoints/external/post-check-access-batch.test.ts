import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { ABSENT_ID, addApiClient, addApplication, addRole, putGrant } from "../../harness/applications.ts";
import { addGroup, putGroupGrant } from "../../harness/groups.ts";
import { addPerson, type Person } from "../../harness/people.ts";
import { startTestService, type TestService } from "../../harness/service.ts";
import {
	assertAllowlisted,
	assertHttpsOnly,
	assertScoped,
	assertUnsigned,
	type Client,
	problem,
	type SignedCall,
} from "../../harness/signed-endpoint.ts";

const ONE = "/api/v1/external/users/check-access";
const PATH = `${ONE}/batch`;

let service: TestService;
let client: Client;
/** May ask about every application of the tenant. */
let overseer: Client;
let ada: Person;
let call: SignedCall;
before(async () => {
	service = await startTestService();
	const { id: app_id } = await addApplication(service, { access_policy: "assigned" });
	client = await addApiClient(service, { app_id });
	overseer = await addApiClient(service, { app_id, scopes: ["access:check", "access:check:tenant"] });
	ada = await addPerson(service, "ada");
	call = { method: "POST", path: PATH, body: { checks: [{ user_id: ada.id }] } };
});
after(() => service.stop());

const check = (checks: unknown, by: Client = client, more: object = {}) =>
	service.signed(by, "POST", PATH, { body: { checks, ...more } });

describe("POST /api/v1/external/users/check-access/batch", () => {
	describe("200", () => {
		test("answers each as check-access does, in the order of the questions", async () => {
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
				alone.push((await service.signed(overseer, "POST", ONE, { body: one })).body.data);
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

		test("lists a bounded number of names, says so, and decides by all of them", async () => {
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
			const alone = (await service.signed(rich, "POST", ONE, { body: checks[0] })).body.data;
			assert.deepEqual([alone.allowed, alone.permissions.length, alone.truncated], [true, 1_000, true]);
			assert.deepEqual(alone.permissions, alone.permissions.toSorted());
		});

		test("accepts a hundred at once", async () => {
			const { status, body } = await check(Array.from({ length: 100 }, () => ({ user_id: ada.id })));
			assert.deepEqual([status, body.data.length], [200, 100]);
		});
	});

	describe("400", () => {
		test("names what is wrong, and in which question", async () => {
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
				const answer = await service.signed(client, "POST", PATH, { body, headers });
				const fields = answer.body.errors.map((error) => error.field);
				assert.deepEqual([answer.status, fields], [400, [field]]);
			}
		});
	});

	describe("401", () => {
		test("not signed, wrongly signed, replayed", () => assertUnsigned(service, client, call));
	});

	describe("403", () => {
		test("an address that is not on the allowlist", () => assertAllowlisted(service, call));
		test("without access:check", () => assertScoped(service, "access:check", call));

		test("one question about another application refuses all, and is named", async () => {
			const body = { checks: [{ user_id: ada.id }, { user_id: ada.id, app_id: ABSENT_ID }] };
			assert.equal(await problem(service, client, { ...call, body }), "403 scope.missing");
			const headers = { accept: "application/problem+json" };
			const answer = await service.signed(client, "POST", PATH, { body, headers });
			assert.deepEqual(answer.body.errors[0]?.field, "checks.1.app_id");
			assert.equal((await check(body.checks, overseer)).status, 200);
		});
	});

	describe("426", () => {
		test("plain HTTP", () => assertHttpsOnly(service, call));
	});
});
