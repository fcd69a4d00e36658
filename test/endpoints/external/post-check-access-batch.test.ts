import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { addApiClient, addApplication, addRole, NOBODY, putGrant } from "../../harness/applications.ts";
import { addGroup, putGroupGrant } from "../../harness/groups.ts";
import { addPerson, type Person } from "../../harness/people.ts";
import { type Answer, startTestService, type TestService } from "../../harness/service.ts";
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

const check = (checks: unknown, by: Client = client): Promise<Answer> =>
	service.signed(by, "POST", PATH, { body: { checks } });

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
				{ user_id: NOBODY },
				{ user_id: ada.id },
				{ user_id: ada.id, app_id: other },
				{ user_id: ada.id, app_id: NOBODY },
				{ user_id: bob.id, permission: "bills:read" },
				{ user_id: bob.id, permission: "orders:write" },
			];
			const { status, body } = await check(checks, overseer);
			assert.equal(status, 200);
			const alone = [];
			for (const one of checks)
				alone.push((await service.signed(overseer, "POST", ONE, { body: one })).body.data);
			assert.deepEqual(body, { data: alone });
			assert.deepEqual(
				body.data.map(({ reason }: { reason: string }) => reason),
				["ok", "user_not_found", "ok", "ok", "app_not_found", "missing_permission", "ok"],
			);
			assert.deepEqual(body.data[0].roles, ["reader", "writer"]);
		});

		test("takes a hundred at once", async () => {
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
			] as const) {
				const headers = { accept: "application/problem+json" };
				const answer = await service.signed(client, "POST", PATH, { body, headers });
				const fields = answer.body.errors.map((error: { field: string }) => error.field);
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
			const body = { checks: [{ user_id: ada.id }, { user_id: ada.id, app_id: NOBODY }] };
			assert.equal(await problem(service, client, { ...call, body }), "403 scope.missing");
			const headers = { accept: "application/problem+json" };
			const answer = await service.signed(client, "POST", PATH, { body, headers });
			assert.deepEqual(answer.body.errors[0].field, "checks.1.app_id");
			assert.equal((await check(body.checks, overseer)).status, 200);
		});
	});

	describe("426", () => {
		test("plain HTTP", () => assertHttpsOnly(service, call));
	});
});
