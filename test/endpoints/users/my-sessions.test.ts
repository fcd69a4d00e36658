import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { DAY_MS } from "../../../src/kernel/clock.ts";
import {
	addPerson,
	auditOf,
	isAlive,
	signInAgain,
	signInToApplication,
} from "../../harness/people/people.ts";
import { claimsOf } from "../../harness/people/second-factors.ts";
import { fixture, testService } from "../../harness/runs/fixture.ts";

const PATH = "/api/v1/users/me/sessions";
const REVOKE = `${PATH}/revoke` as const;

const service = testService();

describe("GET /api/v1/users/me/sessions", () => {
	const ada = fixture(() => addPerson(service, "ada"));

	describe("200", () => {
		it("returns the live sessions of the caller, newest first, and marks the current one", async () => {
			const token = await signInAgain(service, ada, { "user-agent": "Probe/2.0" });
			await addPerson(service, "another");
			const { status, body } = await service.call("GET", PATH, { token: ada.token });
			assert.equal(status, 200);
			assert.deepEqual([body.total, body.page, body.page_size], [2, 1, 20]);
			const [second, first] = body.data;
			assert.ok(second && first);
			assert.deepEqual([second.current, first.current], [false, true]);
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
			const seen = await service.call("GET", PATH, { token });
			assert.deepEqual(
				seen.body.data.map(({ current }) => current),
				[true, false],
			);
		});

		it("returns pages", async () => {
			const page = (number: number) =>
				service.call("GET", `${PATH}?page=${number}&page_size=1`, { token: ada.token });
			const [second, third] = [await page(2), await page(3)];
			assert.deepEqual(
				[second, third].map(({ body }) => [body.data.length, body.total, body.page, body.page_size]),
				[
					[1, 2, 2, 1],
					[0, 2, 3, 1],
				],
			);
		});

		it("returns to an application only its own session", async () => {
			const cat = await addPerson(service, "cat");
			const tokens = [await signInToApplication(service, cat), await signInToApplication(service, cat)];
			for (const token of tokens) {
				const { body } = await service.call("GET", PATH, { token });
				const ids = body.data.map(({ id }) => id);
				assert.deepEqual([body.total, ids], [1, [claimsOf(token).sid]]);
			}
			assert.equal((await service.call("GET", PATH, { token: cat.token })).body.total, 3);
		});

		it("omits expired sessions", async () => {
			const bob = await addPerson(service, "bob");
			service.clock.advance(8 * DAY_MS);
			const token = await signInAgain(service, bob);
			const { body } = await service.call("GET", PATH, { token });
			assert.equal(body.total, 1);
			assert.equal(body.data[0]?.current, true);
		});
	});
});

describe("DELETE /api/v1/users/me/sessions/{id}", () => {
	const abe = fixture(() => addPerson(service, "abe"));

	const currentId = async (token: string): Promise<string> => {
		const { body } = await service.call("GET", PATH, { token });
		const session = body.data.find(({ current }) => current);
		assert.ok(session);
		return session.id;
	};
	const end = (token: string, id: string) => service.call("DELETE", `${PATH}/${id}`, { token });

	describe("204", () => {
		it("ends another session of the caller at once, audits it, and returns 404 afterwards", async () => {
			const other = await signInAgain(service, abe);
			const id = await currentId(other);
			const response = await end(abe.token, id);
			assert.deepEqual([response.status, response.body], [204, undefined]);
			assert.equal(await isAlive(service, other), false);
			assert.equal(await isAlive(service, abe.token), true);
			assert.deepEqual(await auditOf(service, `session:${id}`), [
				{
					actor: `user:${abe.id}`,
					action: "session.ended",
					target: `session:${id}`,
					details: { current: false },
				},
			]);
			assert.equal((await end(abe.token, id)).status, 404);
		});

		it("signs out when it is the current session", async () => {
			const token = await signInAgain(service, abe);
			assert.equal((await end(token, await currentId(token))).status, 204);
			assert.equal(await isAlive(service, token), false);
		});

		it("revokes the refresh token too", async () => {
			const body = { username: abe.username, password: abe.password };
			const tokens = (await service.call("POST", "/api/v1/auth/login", { body })).body.data;
			await end(abe.token, await currentId(tokens.access_token));
			const response = await service.call("POST", "/api/v1/auth/refresh", {
				body: { refresh_token: tokens.refresh_token },
			});
			assert.equal(response.status, 401);
		});

		it("ends the session of an application with its own token", async () => {
			const token = await signInToApplication(service, abe);
			assert.equal((await end(token, await currentId(token))).status, 204);
			assert.equal(await isAlive(service, token), false);
		});

		it("accepts an id in upper case", async () => {
			const other = await signInAgain(service, abe);
			assert.equal((await end(abe.token, (await currentId(other)).toUpperCase())).status, 204);
		});
	});

	describe("404", () => {
		it("is the response to an application for every session but its own", async () => {
			const token = await signInToApplication(service, abe);
			for (const other of [abe.token, await signInToApplication(service, abe)]) {
				assert.equal((await end(token, await currentId(other))).status, 404);
				assert.equal(await isAlive(service, other), true);
			}
		});
	});
});

describe("POST /api/v1/users/me/sessions/revoke", () => {
	const ann = fixture(() => addPerson(service, "ann"));

	describe("200", () => {
		it("ends every other session of the caller, and no other", async () => {
			const amy = await addPerson(service, "amy");
			const others = [
				await signInAgain(service, ann),
				await signInAgain(service, ann),
				await signInToApplication(service, ann),
			];
			const { status, body } = await service.call("POST", REVOKE, { token: ann.token });
			assert.deepEqual([status, body], [200, { data: { sessions_revoked: 3 } }]);
			for (const token of others) assert.equal(await isAlive(service, token), false);
			for (const { token } of [ann, amy]) assert.equal(await isAlive(service, token), true);
			const again = await service.call("POST", REVOKE, { token: ann.token });
			assert.deepEqual(again.body, { data: { sessions_revoked: 0 } });
			const ended = (await auditOf(service, `user:${ann.id}`)).filter(
				({ action }) => action === "user.other_sessions_ended",
			);
			assert.deepEqual(
				ended.map(({ actor, details }) => [actor, details]),
				[
					[`user:${ann.id}`, { sessions: 3 }],
					[`user:${ann.id}`, { sessions: 0 }],
				],
			);
		});
	});
});
