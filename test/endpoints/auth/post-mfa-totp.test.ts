import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { addPerson, type Person } from "../../harness/people.ts";
import { addPersonWithTotp, MFA, passwordStep, requireMfa } from "../../harness/second-factors.ts";
import { startTestService, type TestService } from "../../harness/service.ts";

const PATH = `${MFA}/totp`;

describe("POST /api/v1/auth/mfa/totp", () => {
	let service: TestService;
	let ada: Person;
	before(async () => {
		service = await startTestService();
		ada = await addPerson(service, "ada");
		await requireMfa(service, true, await service.adminToken());
	});
	after(() => service.stop());

	describe("201", () => {
		it("answers a secret to a user who must enrol a factor, and opens no session", async () => {
			const mfa_token = await passwordStep(service, ada);
			const answer = await service.call("POST", PATH, { body: { mfa_token } });
			assert.equal(answer.status, 201);
			assert.equal(answer.headers["cache-control"], "no-store");
			assert.match(answer.body.data.secret, /^[A-Z2-7]{32}$/);
			assert.match(answer.body.data.otpauth_uri, /^otpauth:\/\/totp\/localhost:ada\?/);
			await passwordStep(service, ada);
		});
	});

	describe("400", () => {
		it("requires the token", async () => {
			for (const body of [{}, { mfa_token: "" }, { mfa_token: 1 }])
				assert.equal((await service.call("POST", PATH, { body })).status, 400);
		});
	});

	describe("401", () => {
		it("refuses an unknown token, an expired one, one that waits for an answer, and an access token", async () => {
			const expired = await passwordStep(service, ada);
			service.clock.advance(10 * 60_000);
			for (const mfa_token of ["unknown", expired, ada.token.slice(0, 100)])
				assert.equal((await service.call("POST", PATH, { body: { mfa_token } })).status, 401);
		});

		it("refuses the token of a user who has a second factor", async () => {
			const other = await startTestService();
			const cal = await addPersonWithTotp(other, "cal");
			const mfa_token = await passwordStep(other, cal);
			assert.equal((await other.call("POST", PATH, { body: { mfa_token } })).status, 401);
			await other.stop();
		});
	});
});
