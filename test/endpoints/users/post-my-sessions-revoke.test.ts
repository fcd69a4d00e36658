import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import {
	addPerson,
	auditOf,
	isAlive,
	type Person,
	signInAgain,
	signInToApplication,
} from "../../harness/people.ts";
import { startTestService, type TestService } from "../../harness/service.ts";

const PATH = "/api/v1/users/me/sessions/revoke";

describe("POST /api/v1/users/me/sessions/revoke", () => {
	let service: TestService;
	let ada: Person;
	before(async () => {
		service = await startTestService();
		ada = await addPerson(service, "ada");
	});
	after(() => service.stop());

	describe("200", () => {
		it("ends every other session of the caller, and no other", async () => {
			const bob = await addPerson(service, "bob");
			const others = [
				await signInAgain(service, ada),
				await signInAgain(service, ada),
				await signInToApplication(service, ada),
			];
			const { status, body } = await service.call("POST", PATH, { token: ada.token });
			assert.deepEqual([status, body], [200, { data: { sessions_revoked: 3 } }]);
			for (const token of others) assert.equal(await isAlive(service, token), false);
			for (const { token } of [ada, bob]) assert.equal(await isAlive(service, token), true);
			const again = await service.call("POST", PATH, { token: ada.token });
			assert.deepEqual(again.body, { data: { sessions_revoked: 0 } });
			const ended = (await auditOf(service, `user:${ada.id}`)).filter(
				({ action }) => action === "user.other_sessions_ended",
			);
			assert.deepEqual(
				ended.map(({ actor, details }) => [actor, details]),
				[
					[`user:${ada.id}`, { sessions: 3 }],
					[`user:${ada.id}`, { sessions: 0 }],
				],
			);
		});
	});

	describe("401", () => {
		it("needs a token", async () => {
			assert.equal((await service.call("POST", PATH)).status, 401);
		});
	});

	describe("403", () => {
		it("is not for a token of an application", async () => {
			const token = await signInToApplication(service, ada);
			const answer = await service.call<{ code: string }>("POST", PATH, {
				token,
				headers: { accept: "application/problem+json" },
			});
			assert.deepEqual([answer.status, answer.body.code], [403, "application.token"]);
			assert.equal(await isAlive(service, ada.token), true);
		});
	});
});
