import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { decide, mailedToken, REQUESTS, submit } from "../../harness/access-requests.ts";
import { addPerson } from "../../harness/people.ts";
import { addSecondTenant } from "../../harness/second-tenant.ts";
import { startTestService, type TestService } from "../../harness/service.ts";

let service: TestService;
let token: string;
before(async () => {
	service = await startTestService();
	token = await service.adminToken();
});
after(() => service.stop());

const get = (id: string, as = token) => service.call("GET", `${REQUESTS}/${id}`, { token: as });

describe("GET /api/v1/access-requests/{id}", () => {
	describe("200", () => {
		test("answers a pending request as it was submitted", async () => {
			const record = await submit(service);
			assert.deepEqual((await get(record.id)).body, {
				data: { ...record, api_client_id: null, reviewed_by_name: null, claimed_at: null },
			});
			assert.equal((await get(record.id.toUpperCase())).status, 200);
		});

		test("answers a decided request with reviewer, time and reason", async () => {
			const approved = await decide(service, (await submit(service)).id, "approve", { review_note: "Fine." });
			assert.deepEqual((await get(approved.id)).body.data, approved);
			const rejected = await decide(service, (await submit(service)).id, "reject");
			assert.deepEqual((await get(rejected.id)).body.data, rejected);
			assert.equal(rejected.api_client_id, null);
		});

		test("answers a withdrawn request without a reviewer", async () => {
			const { id, email } = await submit(service);
			await service.call("POST", `${REQUESTS}/withdraw`, {
				body: { token: await mailedToken(service, email, "withdraw") },
			});
			const { status, reviewed_by, reviewed_at } = (await get(id)).body.data;
			assert.deepEqual(
				{ status, reviewed_by, reviewed_at },
				{
					status: "withdrawn",
					reviewed_by: null,
					reviewed_at: null,
				},
			);
		});

		for (const role of ["reviewer", "auditor"]) {
			test(`answers a user with the role ${role}`, async () => {
				const { id } = await submit(service);
				const { token: own } = await addPerson(service, `get-${role}`, { roles: [role] });
				assert.equal((await get(id, own)).status, 200);
			});
		}
	});

	describe("401", () => {
		test("needs a token", async () => {
			const { id } = await submit(service);
			assert.equal((await service.call("GET", `${REQUESTS}/${id}`)).status, 401);
		});
	});

	describe("403", () => {
		test("refuses a user without a role", async () => {
			const { id } = await submit(service);
			const { token: own } = await addPerson(service, "get-nobody");
			assert.equal((await get(id, own)).status, 403);
		});
	});

	describe("404", () => {
		test("answers absent, malformed and foreign ids alike", async () => {
			const second = await addSecondTenant(service);
			const { id } = await submit(service);
			const unknown = await get("01980000-0000-7000-8000-000000000000");
			const foreign = await get(id, second.adminToken);
			assert.equal(unknown.status, 404);
			assert.equal(foreign.status, 404);
			assert.deepEqual(foreign.body, unknown.body);
			for (const malformed of ["17", `${id}0`, `{${id}}`, "Claim", "%00"]) {
				assert.equal((await get(malformed)).status, 404);
			}
		});
	});
});
