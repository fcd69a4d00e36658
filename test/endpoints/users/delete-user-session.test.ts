import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { addPerson, auditOf, isAlive, type Person, signInAgain } from "../../harness/people.ts";
import { addSecondTenant } from "../../harness/second-tenant.ts";
import { type Answer, startTestService, type TestService } from "../../harness/service.ts";

const ABSENT = "0190a0a0-0000-7000-8000-000000000000";

describe("DELETE /api/v1/users/{id}/sessions/{session_id}", () => {
	let service: TestService;
	let ada: Person;
	before(async () => {
		service = await startTestService();
		ada = await addPerson(service, "ada");
	});
	after(() => service.stop());

	const end = async (id: string, sessionId: string, token?: string): Promise<Answer> =>
		service.call("DELETE", `/api/v1/users/${id}/sessions/${sessionId}`, {
			token: token ?? (await service.adminToken()),
			headers: { accept: "application/problem+json" },
		});
	const newestOf = async (person: Person): Promise<string> => {
		const { body } = await service.call("GET", "/api/v1/users/me/sessions", { token: person.token });
		return String(body.data[0]?.id);
	};

	describe("204", () => {
		it("ends that session and no other, and records it of the user", async () => {
			const second = await signInAgain(service, ada);
			const id = await newestOf(ada);
			assert.equal((await end(ada.id, id)).status, 204);
			assert.equal(await isAlive(service, second), false);
			assert.equal(await isAlive(service, ada.token), true);
			assert.equal((await end(ada.id, id)).status, 404);
			const ended = (await auditOf(service, `user:${ada.id}`)).filter(
				({ action }) => action === "user.session_ended",
			);
			assert.deepEqual(
				ended.map(({ details }) => details),
				[{ session_id: id }],
			);
		});
	});

	describe("401", () => {
		it("needs a token", async () => {
			const { status } = await service.call("DELETE", `/api/v1/users/${ada.id}/sessions/${ABSENT}`);
			assert.equal(status, 401);
		});
	});

	describe("403", () => {
		it("allows admins only, and platform admins for a platform admin", async () => {
			const id = await newestOf(ada);
			for (const role of ["auditor", "reviewer"]) {
				const { token } = await addPerson(service, role, { roles: [role] });
				assert.equal((await end(ada.id, id, token)).status, 403, role);
			}
			const plain = await addPerson(service, "plain-admin", { roles: ["admin"] });
			const me = await service.call("GET", "/api/v1/users/me", { token: await service.adminToken() });
			assert.equal((await end(me.body.data.id, ABSENT, plain.token)).status, 403);
			assert.equal(await isAlive(service, ada.token), true);
		});
	});

	describe("404", () => {
		it("answers a session of another user or tenant like an absent one", async () => {
			const bob = await addPerson(service, "bob");
			const other = await addSecondTenant(service);
			const id = await newestOf(ada);
			assert.equal((await end(bob.id, id)).body.code, "session.not_found");
			assert.equal((await end(ada.id, id, other.adminToken)).body.code, "user.not_found");
			for (const sessionId of [ABSENT, "current"])
				assert.equal((await end(ada.id, sessionId)).status, 404, sessionId);
			assert.equal(await isAlive(service, ada.token), true);
		});
	});
});
