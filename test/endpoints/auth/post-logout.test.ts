import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { addPerson, auditOf, isAlive, signInAgain } from "../../harness/people.ts";
import { startTestService, type TestService } from "../../harness/service.ts";

const PATH = "/api/v1/auth/logout";

describe("POST /api/v1/auth/logout", () => {
	let service: TestService;
	before(async () => {
		service = await startTestService();
	});
	after(() => service.stop());

	describe("204", () => {
		it("ends this session at once and no other, and audits it", async () => {
			const person = await addPerson(service, "ada");
			const other = await signInAgain(service, person);
			const answer = await service.call("POST", PATH, { token: person.token });
			assert.equal(answer.status, 204);
			assert.equal(answer.body, undefined);
			assert.equal(await isAlive(service, person.token), false);
			assert.equal(await isAlive(service, other), true);
			const [last] = (await auditOf(service, `user:${person.id}`)).slice(-1);
			assert.equal(last?.action, "user.signed_out");
			assert.equal(last?.actor, `user:${person.id}`);
		});

		it("ignores any body", async () => {
			const person = await addPerson(service, "chatty");
			const answer = await service.call("POST", PATH, { token: person.token, body: "{ not json" });
			assert.equal(answer.status, 204);
		});

		it("ends one session once, however many ask at once", async () => {
			const person = await addPerson(service, "impatient");
			const answers = await Promise.all(
				Array.from({ length: 10 }, () => service.call("POST", PATH, { token: person.token })),
			);
			for (const { status } of answers) assert.ok(status === 204 || status === 401);
			const events = await auditOf(service, `user:${person.id}`);
			assert.equal(events.filter(({ action }) => action === "user.signed_out").length, 1);
		});
	});

	describe("401", () => {
		it("refuses a second time, and without a token", async () => {
			const person = await addPerson(service, "twice");
			await service.call("POST", PATH, { token: person.token });
			for (const options of [{ token: person.token }, {}]) {
				const answer = await service.call("POST", PATH, options);
				assert.equal(answer.status, 401);
				assert.equal(answer.headers["www-authenticate"], "Bearer");
			}
		});
	});
});
