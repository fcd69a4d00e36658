import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { addPerson, takePasswordAway } from "../../harness/people.ts";
import { addPersonWithTotp } from "../../harness/second-factors.ts";
import { addSecondTenant } from "../../harness/second-tenant.ts";
import { startTestService, type TestService } from "../../harness/service.ts";

describe("GET /api/v1/users/{id}/mfa", () => {
	let service: TestService;
	before(async () => {
		service = await startTestService();
	});
	after(() => service.stop());

	const get = async (id: string, token?: string) =>
		service.call("GET", `/api/v1/users/${id}/mfa`, {
			token: token ?? (await service.adminToken()),
			headers: { accept: "application/problem+json" },
		});

	describe("200", () => {
		it("answers admins and auditors which factors a user has, and no secret", async () => {
			const bea = await addPersonWithTotp(service, "bea");
			const auditor = await addPerson(service, "auditor", { roles: ["auditor"] });
			const expected = {
				has_password: true,
				mfa_enabled: true,
				totp: true,
				passkeys: 0,
				recovery_codes_left: bea.recoveryCodes.length,
				required: false,
			};
			for (const token of [undefined, auditor.token])
				assert.deepEqual((await get(bea.id, token)).body, { data: expected });
		});

		it("says that there is no password and no factor", async () => {
			const eve = await addPerson(service, "eve");
			await takePasswordAway(service, eve.id);
			const { body } = await get(eve.id);
			assert.deepEqual(
				[body.data.has_password, body.data.mfa_enabled, body.data.recovery_codes_left],
				[false, false, 0],
			);
		});
	});

	describe("401", () => {
		it("needs a token", async () => {
			const { id } = await addPerson(service, "ada");
			assert.equal((await service.call("GET", `/api/v1/users/${id}/mfa`)).status, 401);
		});
	});

	describe("403", () => {
		it("is for admins and auditors", async () => {
			const bob = await addPerson(service, "bob");
			assert.equal((await get(bob.id, bob.token)).status, 403);
		});
	});

	describe("404", () => {
		it("answers foreign and absent users alike", async () => {
			const other = await addSecondTenant(service);
			for (const id of [other.adminId, "0190a0a0-0000-7000-8000-000000000000"])
				assert.equal((await get(id)).body.code, "user.not_found");
		});
	});
});
