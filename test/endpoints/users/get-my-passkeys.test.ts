import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { addPerson } from "../../harness/people.ts";
import { addPersonWithPasskey, enrolPasskey, MY_PASSKEYS } from "../../harness/second-factors.ts";
import { startTestService, type TestService } from "../../harness/service.ts";

describe("GET /api/v1/users/me/mfa/passkeys", () => {
	let service: TestService;
	before(async () => {
		service = await startTestService();
	});
	after(() => service.stop());

	describe("200", () => {
		it("lists one's own, newest first, in pages, without keys", async () => {
			const ada = await addPersonWithPasskey(service, "ada");
			await addPersonWithPasskey(service, "bea");
			const second = await enrolPasskey(service, ada);
			const { body } = await service.call("GET", `${MY_PASSKEYS}?page_size=1`, { token: ada.token });
			assert.deepEqual([body.total, body.page, body.page_size], [2, 1, 1]);
			assert.deepEqual(Object.keys(body.data[0] ?? {}), [
				"id",
				"name",
				"synced",
				"transports",
				"aaguid",
				"created_at",
				"last_used_at",
			]);
			assert.equal(body.data[0]?.id, second.passkeyId);
		});

		it("is empty without any", async () => {
			const cal = await addPerson(service, "cal");
			const { body } = await service.call("GET", MY_PASSKEYS, { token: cal.token });
			assert.deepEqual(body, { data: [], total: 0, page: 1, page_size: 20 });
		});
	});

	describe("400", () => {
		it("refuses an invalid page", async () => {
			const dan = await addPerson(service, "dan");
			assert.equal((await service.call("GET", `${MY_PASSKEYS}?page=0`, { token: dan.token })).status, 400);
		});
	});

	describe("401", () => {
		it("needs a token", async () => {
			assert.equal((await service.call("GET", MY_PASSKEYS)).status, 401);
		});
	});
});
