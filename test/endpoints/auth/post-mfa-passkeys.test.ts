import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { addPerson, type Person } from "../../harness/people.ts";
import { enrolPasskey, MFA, passwordStep, requireMfa } from "../../harness/second-factors.ts";
import { startTestService, type TestService } from "../../harness/service.ts";

const PATH = `${MFA}/passkeys`;

describe("POST /api/v1/auth/mfa/passkeys", () => {
	let service: TestService;
	let ada: Person;
	before(async () => {
		service = await startTestService();
		ada = await addPerson(service, "ada");
		await requireMfa(service, true, await service.adminToken());
	});
	after(() => service.stop());

	describe("201", () => {
		it("answers creation options to a user who must enrol a factor", async () => {
			const mfa_token = await passwordStep(service, ada);
			const answer = await service.call("POST", PATH, { body: { mfa_token } });
			assert.equal(answer.status, 201);
			assert.equal(answer.headers["cache-control"], "no-store");
			const { options, expires_in } = answer.body.data;
			const user = options.user as { readonly name: string };
			assert.deepEqual([user.name, expires_in], ["ada", 300]);
		});
	});

	describe("400", () => {
		it("requires the token", async () => {
			assert.equal((await service.call("POST", PATH, { body: {} })).status, 400);
		});
	});

	describe("401", () => {
		it("refuses an unknown token, and a token of a user who has a factor by now", async () => {
			const mfa_token = await passwordStep(service, ada);
			assert.equal((await service.call("POST", PATH, { body: { mfa_token: "none" } })).status, 401);
			await enrolPasskey(service, ada);
			assert.equal((await service.call("POST", PATH, { body: { mfa_token } })).status, 401);
		});
	});
});
