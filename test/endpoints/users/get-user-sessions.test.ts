import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import {
	ABSENT_ID,
	addCast,
	assertForbidden,
	assertNotFound,
	assertUnauthenticated,
	type Cast,
	problemOf,
} from "../../harness/applications.ts";
import { addPerson, type Person, signInAgain, signInToApplication } from "../../harness/people.ts";
import { startTestService, type TestService } from "../../harness/service.ts";

const DAY_MS = 86_400_000;

describe("GET /api/v1/users/{id}/sessions", () => {
	let service: TestService;
	let cast: Cast;
	let ada: Person;
	before(async () => {
		service = await startTestService();
		cast = await addCast(service);
		ada = await addPerson(service, "ada");
	});
	after(() => service.stop());

	const path = (of = ada.id) => `/api/v1/users/${of}/sessions` as const;

	describe("200", () => {
		it("shows the live sessions of the user, the newest first, to admins and auditors", async () => {
			service.clock.advance(1_000);
			await signInAgain(service, ada, { "user-agent": "Probe/2.0" });
			service.clock.advance(1_000);
			await signInToApplication(service, ada);
			for (const token of [cast.admin, cast.auditor.token]) {
				const { status, body } = await service.call("GET", path(), { token });
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
					user_agent: "Probe/2.0",
				});
				assert.match(id, /^[0-9a-f-]{36}$/);
				assert.equal(last_used_at, created_at);
				assert.equal(Date.parse(expires_at) - Date.parse(created_at), 7 * DAY_MS);
				assert.ok(created_at > first.created_at);
			}
			const { body } = await service.call("GET", `${path()}?page=2&page_size=2`, { token: cast.admin });
			assert.deepEqual([body.data.length, body.total], [1, 3]);
		});

		it("marks the caller's own session, and no session of another user", async () => {
			const { body } = await service.call("GET", path(cast.auditor.id), { token: cast.auditor.token });
			assert.deepEqual(
				body.data.map(({ current }) => current),
				[true],
			);
			const others = await service.call("GET", path(cast.auditor.id), { token: cast.admin });
			assert.deepEqual(
				others.body.data.map(({ current }) => current),
				[false],
			);
		});

		it("leaves out sessions that ended or expired", async () => {
			const bob = await addPerson(service, "bob");
			const token = await service.adminToken();
			assert.equal((await service.call("GET", path(bob.id), { token })).body.total, 1);
			await service.call("POST", "/api/v1/auth/logout", { token: bob.token });
			assert.equal((await service.call("GET", path(bob.id), { token })).body.total, 0);
		});
	});

	describe("400", () => {
		it("names the parameter that is wrong", async () => {
			const { status, fields } = await problemOf(service, "GET", `${path()}?page_size=0`);
			assert.deepEqual([status, fields], [400, ["page_size"]]);
		});
	});

	describe("401", () => {
		it("needs a token", () => assertUnauthenticated(service, "GET", path()));
	});

	describe("403", () => {
		it("is not for others, not even for the user", () =>
			assertForbidden(service, [cast.reviewer, cast.plain, ada], "GET", path()));
	});

	describe("404", () => {
		it("answers absent, malformed and foreign ids alike", () =>
			assertNotFound(
				service,
				[
					{ token: cast.admin, path: path(ABSENT_ID) },
					{ token: cast.admin, path: path("x") },
					{ token: cast.other.adminToken, path: path() },
				],
				"GET",
				"user.not_found",
			));
	});
});
