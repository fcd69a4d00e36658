import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { addPerson, type Person } from "../../harness/people.ts";
import { addSecondTenant } from "../../harness/second-tenant.ts";
import { startTestService, type TestService } from "../../harness/service.ts";

const PATH = "/api/v1/users";

describe("GET /api/v1/users/{id}", () => {
	let service: TestService;
	let ada: Person;
	before(async () => {
		service = await startTestService();
		ada = await addPerson(service, "ada");
	});
	after(() => service.stop());

	const get = async (id: string, token?: string) =>
		service.call("GET", `${PATH}/${id}`, { token: token ?? (await service.adminToken()) });

	describe("200", () => {
		it("answers what the user sees, to admins and auditors", async () => {
			const own = await service.call("GET", `${PATH}/me`, { token: ada.token });
			const auditor = await addPerson(service, "auditor", { roles: ["auditor"] });
			for (const token of [await service.adminToken(), auditor.token]) {
				const { status, body } = await get(ada.id, token);
				assert.equal(status, 200);
				assert.deepEqual(body, own.body);
			}
		});

		it("takes the id in upper case", async () => {
			assert.equal((await get(ada.id.toUpperCase())).body.data.id, ada.id);
		});
	});

	describe("401", () => {
		it("needs a token", async () => {
			assert.equal((await service.call("GET", `${PATH}/${ada.id}`)).status, 401);
		});
	});

	describe("403", () => {
		it("allows admins and auditors only, also about oneself", async () => {
			const reviewer = await addPerson(service, "reviewer", { roles: ["reviewer"] });
			for (const { token } of [ada, reviewer]) assert.equal((await get(ada.id, token)).status, 403);
		});
	});

	describe("404", () => {
		it("answers foreign, absent and malformed ids with the same status", async () => {
			const other = await addSecondTenant(service);
			const foreign = await get(other.adminId);
			const madeUp = await get("0190a0a0-0000-7000-8000-000000000000");
			assert.deepEqual([foreign.status, foreign.body], [404, madeUp.body]);
			assert.equal(madeUp.status, 404);
			assert.equal((await get(ada.id, other.adminToken)).status, 404);
			for (const id of ["1", "nobody", `${ada.id}0`, "%00", "..%2F"])
				assert.equal((await get(id)).status, 404, id);
		});
	});
});
