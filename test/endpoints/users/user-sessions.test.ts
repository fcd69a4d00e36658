import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { DAY_MS } from "../../../src/kernel/clock.ts";
import {
	addPerson,
	auditOf,
	isAlive,
	type Person,
	signInAgain,
	signInToApplication,
} from "../../harness/people/people.ts";
import { fixture, testService } from "../../harness/runs/fixture.ts";
import type { CallResponse } from "../../harness/service/service.ts";
import type { BodyOfRow } from "../../harness/service/wire-body.ts";

const PATH = "/api/v1/users";

const service = testService();
const plainAdmin = fixture(() => addPerson(service, "plain-admin", { roles: ["admin"] }));

describe("GET /api/v1/users/{id}/sessions", () => {
	const list = async ({ id }: Person, query = "") =>
		service.callAsAdmin<BodyOfRow<"GET /api/v1/users/{id}/sessions">>(
			"GET",
			`${PATH}/${id}/sessions${query}`,
		);

	describe("200", () => {
		it("returns the live sessions of the user in pages, newest first", async () => {
			const ada = await addPerson(service, "ada");
			service.clock.advance(1_000);
			await signInAgain(service, ada, { "user-agent": "Probe/2.0" });
			service.clock.advance(1_000);
			await signInToApplication(service, ada);
			const { status, body } = await list(ada);
			assert.deepEqual([status, body.total, body.page, body.page_size], [200, 3, 1, 20]);
			const [ofApplication, second, first] = body.data;
			assert.ok(ofApplication && second && first);
			assert.match(ofApplication.app_id ?? "", /^[0-9a-f-]{36}$/);
			const { id, created_at, last_used_at, expires_at, ...rest } = second;
			assert.deepEqual(rest, {
				current: false,
				app_id: null,
				ip: "127.0.0.1",
				device: "Probe",
				device_client: "Probe",
				device_system: null,
				user_agent: "Probe/2.0",
			});
			assert.match(id, /^[0-9a-f-]{36}$/);
			assert.equal(last_used_at, created_at);
			assert.equal(Date.parse(expires_at) - Date.parse(created_at), 7 * DAY_MS);
			assert.ok(created_at > first.created_at);
			const paged = (await list(ada, "?page=2&page_size=2")).body;
			assert.deepEqual([paged.data.length, paged.total], [1, 3]);
		});

		it("marks the caller's own session, and no session of another user", async () => {
			const path = `${PATH}/${plainAdmin.id}/sessions` as const;
			for (const [token, current] of [
				[plainAdmin.token, true],
				[await service.adminToken(), false],
			] as const) {
				const { body } = await service.call("GET", path, { token });
				assert.deepEqual(
					body.data.map((session) => session.current),
					[current],
				);
			}
		});

		it("omits sessions that ended", async () => {
			const bob = await addPerson(service, "bob");
			assert.equal((await list(bob)).body.total, 1);
			await service.call("POST", "/api/v1/auth/logout", { token: bob.token });
			assert.equal((await list(bob)).body.total, 0);
		});
	});
});

describe("DELETE /api/v1/users/{id}/sessions/{session_id}", () => {
	const abe = fixture(() => addPerson(service, "abe"));

	const end = async (id: string, sessionId: string, token?: string): Promise<CallResponse> =>
		service.call("DELETE", `${PATH}/${id}/sessions/${sessionId}`, {
			token: token ?? (await service.adminToken()),
		});
	const newestOf = async (person: Pick<Person, "token">): Promise<string> => {
		const { body } = await service.call("GET", `${PATH}/me/sessions`, { token: person.token });
		return String(body.data[0]?.id);
	};

	describe("204", () => {
		it("ends that session and no other, and audits it once", async () => {
			const second = await signInAgain(service, abe);
			const id = await newestOf(abe);
			assert.equal((await end(abe.id, id)).status, 204);
			assert.equal(await isAlive(service, second), false);
			assert.equal(await isAlive(service, abe.token), true);
			assert.equal((await end(abe.id, id)).status, 404);
			const ended = (await auditOf(service, `user:${abe.id}`)).filter(
				({ action }) => action === "user.session_ended",
			);
			assert.deepEqual(
				ended.map(({ details }) => details),
				[{ session_id: id }],
			);
		});
	});
});

describe("POST /api/v1/users/{id}/sessions/revoke", () => {
	let ann: Person;
	before(async () => {
		ann = await addPerson(service, "ann");
	});

	const revoke = async (id: string, token?: string): Promise<CallResponse> =>
		service.call("POST", `${PATH}/${id}/sessions/revoke`, { token: token ?? (await service.adminToken()) });

	describe("200", () => {
		it("ends every session of the user, and no other", async () => {
			const amy = await addPerson(service, "amy");
			const second = await signInAgain(service, amy);
			const response = await revoke(amy.id);
			assert.equal(response.status, 200);
			assert.deepEqual(response.body, { data: { sessions_revoked: 2 } });
			for (const token of [amy.token, second]) assert.equal(await isAlive(service, token), false);
			assert.equal(await isAlive(service, ann.token), true);
			assert.deepEqual((await revoke(amy.id)).body, { data: { sessions_revoked: 0 } });
			const events = await auditOf(service, `user:${amy.id}`);
			const revoked = events.filter(({ action }) => action === "user.sessions_revoked");
			assert.deepEqual(
				revoked.map(({ details }) => details),
				[{ sessions: 2 }, { sessions: 0 }],
			);
		});

		it("ignores the body", async () => {
			const response = await service.callAsAdmin("POST", `${PATH}/${ann.id}/sessions/revoke`, { body: "{" });
			assert.equal(response.status, 200);
			ann = { ...ann, token: await signInAgain(service, ann) };
		});

		it("ends the admin's own sessions for their own id", async () => {
			const carl = await addPerson(service, "carl", { roles: ["admin"] });
			assert.deepEqual((await revoke(carl.id, carl.token)).body, { data: { sessions_revoked: 1 } });
			assert.equal(await isAlive(service, carl.token), false);
		});
	});
});
