import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { addPerson, takePasswordAway } from "../../harness/people.ts";
import { addPersonWithTotp, answerMfa, passwordStep } from "../../harness/second-factors.ts";
import { startTestService, type TestService } from "../../harness/service.ts";

const PATH = "/api/v1/users/me/mfa";

describe("GET /api/v1/users/me/mfa", () => {
	let service: TestService;
	before(async () => {
		service = await startTestService();
	});
	after(() => service.stop());

	describe("200", () => {
		it("reports no factors without an enrolment", async () => {
			const ada = await addPerson(service, "ada");
			const { status, body } = await service.call("GET", PATH, { token: ada.token });
			const nothing = {
				has_password: true,
				mfa_enabled: false,
				totp: false,
				passkeys: 0,
				recovery_codes_left: 0,
				required: false,
			};
			assert.deepEqual([status, body], [200, { data: nothing }]);
		});

		it("lists the enrolled factors and the number of recovery codes, and no secret", async () => {
			const bea = await addPersonWithTotp(service, "bea");
			const token = await passwordStep(service, bea);
			await answerMfa(service, token, "recovery_code", bea.recoveryCodes[0] as string);
			const { body } = await service.call("GET", PATH, { token: bea.token });
			assert.deepEqual(body.data, {
				has_password: true,
				mfa_enabled: true,
				totp: true,
				passkeys: 0,
				recovery_codes_left: 9,
				required: false,
			});
		});
	});

	describe("200, without a password", () => {
		it("reports that the account has none", async () => {
			const carl = await addPerson(service, "carl");
			await takePasswordAway(service, carl.id);
			const { body } = await service.call("GET", PATH, { token: carl.token });
			assert.equal(body.data.has_password, false);
		});
	});

	describe("401", () => {
		it("needs a token", async () => {
			assert.equal((await service.call("GET", PATH)).status, 401);
		});
	});
});
