import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { withoutPassword } from "../../harness/identity-providers.ts";
import { addPerson, auditOf, isAlive, type Person, signInToApplication } from "../../harness/people.ts";
import { startTestService, type TestService } from "../../harness/service.ts";

const PATH = "/api/v1/users/me/third-party-accounts";

describe("DELETE /api/v1/users/me/third-party-accounts/{id}", () => {
	let service: TestService;
	let ada: Person;
	before(async () => {
		service = await startTestService();
		ada = await addPerson(service, "ada");
	});
	after(() => service.stop());

	const link = async (person: Person, providerUserId: string): Promise<string> => {
		const token = await service.adminToken();
		const body = { provider: "wechat", provider_user_id: providerUserId };
		const path = `/api/v1/users/${person.id}/third-party-accounts` as const;
		const answer = await service.call("POST", path, { token, body });
		assert.equal(answer.status, 201);
		return answer.body.data.id;
	};
	const totalOf = async ({ token }: Person): Promise<number> =>
		(await service.call("GET", PATH, { token })).body.total;
	const unlink = (token: string, id: string) => service.call("DELETE", `${PATH}/${id}`, { token });

	describe("204", () => {
		it("unlinks; the session stays, the account may be linked again, and the audit records it", async () => {
			const id = await link(ada, "o-1");
			const answer = await unlink(ada.token, id);
			assert.deepEqual([answer.status, answer.body], [204, undefined]);
			assert.equal((await service.call("GET", PATH, { token: ada.token })).body.total, 0);
			assert.equal(await isAlive(service, ada.token), true);
			assert.notEqual(await link(ada, "o-1"), id);
			const events = (await auditOf(service, `user:${ada.id}`)).filter(
				({ details }) => details.account_id === id,
			);
			assert.deepEqual(
				events.map(({ actor, action }) => [actor === `user:${ada.id}`, action]),
				[
					[false, "third_party_account.linked"],
					[true, "third_party_account.unlinked"],
				],
			);
		});

		it("unlinks once for several simultaneous requests", async () => {
			const id = await link(ada, "o-2");
			const answers = await Promise.all(Array.from({ length: 5 }, () => unlink(ada.token, id)));
			assert.deepEqual(answers.map(({ status }) => status).toSorted(), [204, 404, 404, 404, 404]);
		});
	});

	describe("401", () => {
		it("needs a token", async () => {
			assert.equal((await service.call("DELETE", `${PATH}/${await link(ada, "o-3")}`)).status, 401);
		});
	});

	describe("403", () => {
		it("refuses an application's token, and the account stays linked", async () => {
			const fay = await addPerson(service, "fay");
			const id = await link(fay, "o-5");
			const answer = await unlink(await signInToApplication(service, fay), id);
			assert.deepEqual([answer.status, await totalOf(fay)], [403, 1]);
		});
	});

	describe("404", () => {
		it("answers foreign, absent and malformed ids alike", async () => {
			const eve = await addPerson(service, "eve");
			const foreign = await link(eve, "o-4");
			for (const id of [foreign, "0190a0a0-0000-7000-8000-000000000000", "wechat"])
				assert.equal((await unlink(ada.token, id)).status, 404, id);
			assert.equal((await service.call("GET", PATH, { token: eve.token })).body.total, 1);
		});
	});

	describe("409", () => {
		it("keeps the last sign-in method, of two simultaneous removals too", async () => {
			const { token, ids } = await withoutPassword(service, 2);
			const answers = await Promise.all(ids.map((id) => unlink(token, id)));
			assert.deepEqual(answers.map(({ status }) => status).toSorted(), [204, 409]);
			const [left] = (await service.call("GET", PATH, { token })).body.data;
			assert.ok(left);
			assert.match((await unlink(token, left.id)).body.error, /last way to sign in/);
		});

		it("removes it where a passkey is left", async () => {
			const { userId, token, ids } = await withoutPassword(service, 1);
			const engine = await service.openDatabase();
			await engine.queries.run(
				`INSERT INTO passkeys (id, tenant_id, user_id, name, credential_id, public_key, sign_count, transports, aaguid, synced, created_at)
				 SELECT id, tenant_id, id, '', id, '', 0, '', '', 0, 0 FROM users WHERE id = $1`,
				userId,
			);
			await engine.close();
			assert.equal((await unlink(token, ids[0] as string)).status, 204);
		});

		it("does not count an account at an unknown provider", async () => {
			const { token, ids } = await withoutPassword(service, 1);
			const me = (await service.call("GET", "/api/v1/users/me", { token })).body.data;
			const path = `/api/v1/users/${me.id}/third-party-accounts` as const;
			const body = { provider: "nowhere", provider_user_id: me.id };
			await service.call("POST", path, { token: await service.adminToken(), body });
			assert.equal((await unlink(token, ids[0] as string)).status, 409);
		});
	});
});
