import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { addPerson, type Person } from "../../harness/people.ts";
import { startTestService, type TestService } from "../../harness/service.ts";

const PATH = "/api/v1/users/me/third-party-accounts";

describe("GET /api/v1/users/me/third-party-accounts", () => {
	let service: TestService;
	let ada: Person;
	before(async () => {
		service = await startTestService();
		ada = await addPerson(service, "ada");
		const eve = await addPerson(service, "eve");
		for (const [person, provider] of [
			[ada, "github"],
			[eve, "feishu"],
			[ada, "wechat"],
		] as const) {
			const token = await service.adminToken();
			const body = { provider, provider_user_id: `at-${provider}` };
			await service.call("POST", `/api/v1/users/${person.id}/third-party-accounts`, { token, body });
			service.clock.advance(1_000);
		}
	});
	after(() => service.stop());

	describe("200", () => {
		it("shows the caller's own accounts, the latest link first", async () => {
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

		it("shows pages", async () => {
			const { body } = await service.call("GET", `${PATH}?page=2&page_size=1`, { token: ada.token });
			assert.deepEqual([body.total, body.page, body.page_size], [2, 2, 1]);
			assert.equal(body.data[0]?.provider, "github");
		});

		it("shows an empty page to a user without any", async () => {
			const bob = await addPerson(service, "bob");
			const { body } = await service.call("GET", PATH, { token: bob.token });
			assert.deepEqual(body, { data: [], total: 0, page: 1, page_size: 20 });
		});
	});

	describe("400", () => {
		for (const query of ["page=-1", "page_size=1000", "page="]) {
			it(`refuses ?${query}`, async () => {
				assert.equal((await service.call("GET", `${PATH}?${query}`, { token: ada.token })).status, 400);
			});
		}
	});

	describe("401", () => {
		it("needs a token", async () => {
			assert.equal((await service.call("GET", PATH)).status, 401);
		});
	});
});
