import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import {
	addPersonWithPasskey,
	MY_PASSKEYS as PASSKEYS,
	type PersonWithPasskey,
} from "../../harness/second-factors.ts";
import { startTestService, type TestService } from "../../harness/service.ts";

describe("PATCH /api/v1/users/me/mfa/passkeys/{id}", () => {
	let service: TestService;
	let ada: PersonWithPasskey;
	before(async () => {
		service = await startTestService();
		ada = await addPersonWithPasskey(service, "ada");
	});
	after(() => service.stop());

	const rename = (id: string, body: unknown, token = ada.token) =>
		service.call("PATCH", `${PASSKEYS}/${id}`, { token, body });

	describe("200", () => {
		it("renames it", async () => {
			const { status, body } = await rename(ada.passkeyId, { name: " Phone " });
			assert.deepEqual([status, body.data.name, body.data.id], [200, "Phone", ada.passkeyId]);
		});
	});

	describe("400", () => {
		it("requires a name of one to a hundred characters", async () => {
			for (const body of [{}, { name: " " }, { name: "x".repeat(101) }, { name: 1 }])
				assert.equal((await rename(ada.passkeyId, body)).status, 400);
		});
	});

	describe("401", () => {
		it("needs a token", async () => {
			const path = `${PASSKEYS}/${ada.passkeyId}`;
			assert.equal((await service.call("PATCH", path, { body: { name: "x" } })).status, 401);
		});
	});

	describe("404", () => {
		it("answers foreign, absent and malformed ids alike", async () => {
			const bea = await addPersonWithPasskey(service, "bea");
			for (const id of [bea.passkeyId, "01900000-0000-7000-8000-000000000000", "x"])
				assert.equal((await rename(id, { name: "Mine" })).status, 404);
		});
	});
});
