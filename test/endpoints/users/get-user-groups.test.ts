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
import { addGroup, addMember, removeMember } from "../../harness/groups.ts";
import { startTestService, type TestService } from "../../harness/service.ts";

describe("GET /api/v1/users/{id}/groups", () => {
	let service: TestService;
	let cast: Cast;
	before(async () => {
		service = await startTestService();
		cast = await addCast(service);
	});
	after(() => service.stop());

	const path = (of = cast.plain.id) => `/api/v1/users/${of}/groups` as const;

	describe("200", () => {
		it("answers the user's groups in pages, the one joined last first, to admins and auditors", async () => {
			const names = ["Sales", "Field", "Night shift"];
			const left = await addGroup(service, [cast.plain.id], { name: "Left" });
			for (const name of names) {
				const group = await addGroup(service, [cast.reviewer.id], { name, description: `All of ${name}` });
				service.clock.advance(1_000);
				await addMember(service, group.id, cast.plain.id);
			}
			await removeMember(service, left.id, cast.plain.id);
			for (const token of [cast.admin, cast.auditor.token]) {
				const { status, body } = await service.call("GET", path(), { token });
				assert.deepEqual([status, body.total], [200, 3]);
				assert.deepEqual(
					body.data.map(({ name }) => name),
					names.toReversed(),
				);
				const [latest, , first] = body.data;
				assert.ok(latest && first && latest.added_at > first.added_at);
				const { group_id, added_at: _, ...rest } = latest;
				assert.match(group_id, /^[0-9a-f-]{36}$/);
				assert.deepEqual(rest, { name: "Night shift", description: "All of Night shift" });
			}
			const { body } = await service.call("GET", `${path()}?page=2&page_size=2`, { token: cast.admin });
			assert.deepEqual([body.data[0]?.name, body.data.length, body.total], ["Sales", 1, 3]);
		});

		it("answers an empty page for a user without groups", async () => {
			const { body } = await service.call("GET", path(cast.auditor.id), { token: cast.admin });
			assert.deepEqual([body.data, body.total], [[], 0]);
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
			assertForbidden(service, [cast.reviewer, cast.plain], "GET", path()));
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
