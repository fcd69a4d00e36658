import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { startTestService, type TestService } from "../../harness/service.ts";

const PATH = "/api/v1/auth/passkey/start";

describe("POST /api/v1/auth/passkey/start", () => {
	let service: TestService;
	before(async () => {
		service = await startTestService();
	});
	after(() => service.stop());

	describe("200", () => {
		it("answers a fresh challenge for any passkey of the service, and wants its owner verified", async () => {
			const [first, second] = [await service.call("POST", PATH), await service.call("POST", PATH)];
			assert.equal(first.status, 200);
			assert.equal(first.headers["cache-control"], "no-store");
			const { options, expires_in } = first.body.data;
			const { challenge, ...rest } = options;
			assert.match(String(challenge), /^[A-Za-z0-9_-]{43}$/);
			assert.notEqual(challenge, second.body.data.options.challenge);
			assert.equal(expires_in, 300);
			assert.deepEqual(
				[rest.rpId, rest.userVerification, rest.allowCredentials, rest.timeout],
				["localhost", "required", undefined, 300_000],
			);
		});
	});

	describe("404", () => {
		it("refuses a tenant that does not exist", async () => {
			const headers = { "x-tenant-id": "01900000-0000-7000-8000-000000000000" };
			assert.equal((await service.call("POST", PATH, { headers })).status, 404);
		});
	});
});
