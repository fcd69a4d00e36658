import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { addPerson, auditOf, isAlive, type Person, signInAgain } from "../../harness/people.ts";
import { startTestService, type TestService } from "../../harness/service.ts";

const PATH = "/api/v1/users/me/sessions";

describe("DELETE /api/v1/users/me/sessions/{id}", () => {
	let service: TestService;
	let ada: Person;
	before(async () => {
		service = await startTestService();
		ada = await addPerson(service, "ada");
	});
	after(() => service.stop());

	const currentId = async (token: string): Promise<string> => {
		const { body } = await service.call("GET", PATH, { token });
		const session = body.data.find(({ current }) => current);
		assert.ok(session);
		return session.id;
	};
	const end = (token: string, id: string) => service.call("DELETE", `${PATH}/${id}`, { token });

	describe("204", () => {
		it("ends another session of the caller at once, and audits it", async () => {
			const other = await signInAgain(service, ada);
			const id = await currentId(other);
			const answer = await end(ada.token, id);
			assert.deepEqual([answer.status, answer.body], [204, undefined]);
			assert.equal(await isAlive(service, other), false);
			assert.equal(await isAlive(service, ada.token), true);
			assert.deepEqual(await auditOf(service, `session:${id}`), [
				{
					actor: `user:${ada.id}`,
					action: "session.ended",
					target: `session:${id}`,
					details: { current: false },
				},
			]);
		});

		it("signs out when it is the session in use", async () => {
			const token = await signInAgain(service, ada);
			assert.equal((await end(token, await currentId(token))).status, 204);
			assert.equal(await isAlive(service, token), false);
		});

		it("revokes the refresh token too", async () => {
			const body = { username: ada.username, password: ada.password };
			const tokens = (await service.call("POST", "/api/v1/auth/login", { body })).body.data;
			await end(ada.token, await currentId(tokens.access_token));
			const answer = await service.call("POST", "/api/v1/auth/refresh", {
				body: { refresh_token: tokens.refresh_token },
			});
			assert.equal(answer.status, 401);
		});

		it("takes an id in upper case", async () => {
			const other = await signInAgain(service, ada);
			assert.equal((await end(ada.token, (await currentId(other)).toUpperCase())).status, 204);
		});
	});

	describe("401", () => {
		it("needs a token", async () => {
			assert.equal((await service.call("DELETE", `${PATH}/${await currentId(ada.token)}`)).status, 401);
		});
	});

	describe("404", () => {
		it("answers foreign, ended, absent and malformed ids alike", async () => {
			const eve = await addPerson(service, "eve");
			const ended = await signInAgain(service, ada);
			const endedId = await currentId(ended);
			await end(ada.token, endedId);
			const foreign = await currentId(eve.token);
			const bodies = new Set<string>();
			for (const id of [foreign, endedId, "0190a0a0-0000-7000-8000-000000000000"]) {
				const answer = await end(ada.token, id);
				assert.equal(answer.status, 404);
				bodies.add(JSON.stringify(answer.body));
			}
			assert.equal(bodies.size, 1);
			assert.equal((await end(ada.token, "current")).status, 404);
			assert.equal(await isAlive(service, eve.token), true);
		});
	});
});
