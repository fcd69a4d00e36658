import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import {
	ABSENT_ID,
	APPLICATIONS,
	addApplication,
	addCast,
	assertForbidden,
	assertNotFound,
	assertUnauthenticated,
	type Cast,
	problemOf,
} from "../../harness/applications.ts";
import { auditOf } from "../../harness/people.ts";
import { startTestService, type TestService } from "../../harness/service.ts";

describe("PATCH /api/v1/applications/{id}", () => {
	let service: TestService;
	let cast: Cast;
	let id: string;
	before(async () => {
		service = await startTestService();
		cast = await addCast(service);
		id = (await addApplication(service)).id;
	});
	after(() => service.stop());

	const path = (appId = id) => `${APPLICATIONS}/${appId}` as const;
	const patch = (body: unknown, appId = id) =>
		service.call("PATCH", path(appId), { token: cast.admin, body });

	describe("200", () => {
		it("changes the given fields and keeps the others", async () => {
			const before = await addApplication(service, { description: "old" });
			const changes = {
				name: "New name",
				slug: "new-slug",
				homepage_url: "https://new.example/",
				logo_url: "https://new.example/logo.png",
				redirect_uris: ["https://new.example/cb"],
				access_policy: "open",
				status: "disabled",
				require_mfa: true,
			};
			service.clock.advance(1_000);
			const { status, body } = await patch(changes, before.id);
			assert.equal(status, 200);
			const { updated_at, ...after } = body.data;
			const { updated_at: old, ...expected } = { ...before, ...changes };
			assert.deepEqual(after, expected);
			assert.ok(updated_at > old);
			const stored = await service.call("GET", path(before.id), { token: cast.admin });
			assert.deepEqual(stored.body, body);
			assert.deepEqual((await auditOf(service, `application:${before.id}`)).at(-1)?.details, {
				fields: Object.keys(changes),
				status: "disabled",
				access_policy: "open",
				redirect_uris: ["https://new.example/cb"],
				require_mfa: true,
			});
		});

		it("clears optional fields", async () => {
			const app = await addApplication(service, {
				description: "x",
				homepage_url: "https://a.example/",
				redirect_uris: ["https://a.example/"],
			});
			const { body } = await patch({ description: "", homepage_url: "", redirect_uris: [] }, app.id);
			const { description, homepage_url, redirect_uris } = body.data;
			assert.deepEqual([description, homepage_url, redirect_uris], ["", "", []]);
		});

		it("writes nothing when nothing changes, and ignores server-assigned fields", async () => {
			const before = await addApplication(service);
			service.clock.advance(1_000);
			for (const body of [
				{},
				undefined,
				{ name: before.name, slug: before.slug, redirect_uris: [] },
				{ id: ABSENT_ID, tenant_id: cast.other.id, created_at: "2001-01-01T00:00:00Z" },
			]) {
				const answer = await patch(body, before.id);
				assert.deepEqual([answer.status, answer.body.data], [200, before]);
			}
			assert.equal((await auditOf(service, `application:${before.id}`)).length, 1);
		});
	});

	describe("400", () => {
		it("names the field that is wrong", async () => {
			for (const [body, field] of [
				[{ name: "" }, "name"],
				[{ name: null }, "name"],
				[{ slug: "No" }, "slug"],
				[{ description: null }, "description"],
				[{ redirect_uris: ["ftp://a.example/"] }, "redirect_uris.0"],
				[{ redirect_uris: null }, "redirect_uris"],
				[{ access_policy: "" }, "access_policy"],
				[{ status: 1 }, "status"],
			] as const) {
				const { status, fields } = await problemOf(service, "PATCH", path(), body);
				assert.deepEqual([status, fields], [400, [field]], JSON.stringify(body));
			}
			assert.equal((await problemOf(service, "PATCH", path(), "[]")).status, 400);
		});
	});

	describe("401", () => {
		it("needs a token", () => assertUnauthenticated(service, "PATCH", path(), {}));
	});

	describe("403", () => {
		it("refuses callers other than admins", () => {
			const { auditor, reviewer, plain } = cast;
			return assertForbidden(service, [auditor, reviewer, plain], "PATCH", path(), { name: "X" });
		});
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
				"PATCH",
				"application.not_found",
				{ name: "X" },
			));
	});

	describe("409", () => {
		it("refuses a slug that is taken, and applies no part of the patch", async () => {
			await addApplication(service, { slug: "occupied" });
			const app = await addApplication(service);
			const { status, code } = await problemOf(service, "PATCH", path(app.id), {
				name: "Other",
				slug: "occupied",
			});
			assert.deepEqual([status, code], [409, "application.slug_taken"]);
			const stored = await service.call("GET", path(app.id), { token: cast.admin });
			assert.deepEqual(stored.body.data, app);
		});
	});
});
