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
import { addGroup, addMember, GROUPS } from "../../harness/groups.ts";
import { startTestService, type TestService } from "../../harness/service.ts";
import type { DataOf } from "../../harness/wire-body.ts";

type Member = DataOf<"GET /api/v1/groups/{id}/members">[number];

describe("GET /api/v1/groups/{id}/members", () => {
	let service: TestService;
	let cast: Cast;
	let id: string;
	before(async () => {
		service = await startTestService();
		cast = await addCast(service);
		id = (await addGroup(service)).id;
	});
	after(() => service.stop());

	const path = (of = id) => `${GROUPS}/${of}/members` as const;

	describe("200", () => {
		it("answers the members in pages, the latest first, to admins and auditors", async () => {
			const { plain, reviewer, auditor } = cast;
			const members: Omit<Member, "added_at">[] = [];
			for (const { id: userId, username, email } of [plain, reviewer, auditor]) {
				service.clock.advance(1_000);
				await addMember(service, id, userId);
				members.unshift({ user_id: userId, username, display_name: "", email, status: "active" });
			}
			await addGroup(service, [plain.id]);
			for (const token of [cast.admin, auditor.token]) {
				const { status, body } = await service.call("GET", path(), { token });
				assert.deepEqual([status, body.total], [200, 3]);
				assert.deepEqual(
					body.data.map(({ added_at: _, ...member }) => member),
					members,
				);
				const [latest, , first] = body.data;
				assert.ok(latest !== undefined && first !== undefined && latest.added_at > first.added_at);
			}
			const { body } = await service.call("GET", `${path()}?page=2&page_size=2`, {
				token: cast.admin,
			});
			assert.deepEqual([body.data[0]?.user_id, body.data.length, body.total], [plain.id, 1, 3]);
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
		it("is not for others", () => assertForbidden(service, [cast.reviewer, cast.plain], "GET", path()));
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
				"group.not_found",
			));
	});
});
