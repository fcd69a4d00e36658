import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import {
	APPLICATIONS,
	addApplication,
	addCast,
	assertUnauthenticated,
	type Cast,
	problemOf,
	putGrant,
} from "../../harness/applications.ts";
import { signInToApplication } from "../../harness/people.ts";
import { ADMIN, startTestService, type TestService } from "../../harness/service.ts";

type Query = "" | `?${string}`;

describe("GET /api/v1/applications", () => {
	let service: TestService;
	let cast: Cast;
	before(async () => {
		service = await startTestService();
		cast = await addCast(service);
	});
	after(() => service.stop());

	const list = async (token: string, query: Query = "") => {
		const answer = await service.call("GET", `${APPLICATIONS}${query}`, { token });
		assert.equal(answer.status, 200, JSON.stringify(answer.body));
		return answer.body;
	};
	const slugs = async (token: string, query?: Query): Promise<string[]> =>
		(await list(token, query)).data.map(({ slug }) => slug);

	describe("200", () => {
		it("shows all applications to admins, reviewers and auditors, and to others those they may use", async () => {
			await addApplication(service, { slug: "seen-open", access_policy: "open" });
			await addApplication(service, { slug: "seen-closed" });
			await addApplication(service, { slug: "seen-off", access_policy: "open", status: "disabled" });
			const granted = await addApplication(service, { slug: "seen-granted" });
			const grantedOff = await addApplication(service, { slug: "seen-granted-off", status: "disabled" });
			await putGrant(service, granted.id, cast.plain.id);
			await putGrant(service, grantedOff.id, cast.plain.id);

			const all = ["seen-granted-off", "seen-granted", "seen-off", "seen-closed", "seen-open"];
			for (const token of [cast.admin, cast.reviewer.token, cast.auditor.token]) {
				assert.deepEqual(await slugs(token, "?q=seen"), all);
			}
			assert.deepEqual(await slugs(cast.plain.token, "?q=seen"), ["seen-granted", "seen-open"]);
			assert.deepEqual(await slugs(cast.plain.token, "?q=seen&status=disabled"), []);
			assert.deepEqual(await slugs(cast.other.adminToken), []);
		});

		it("shows a token for an application only what the admin may use, not what the role may read", async () => {
			await addApplication(service, { slug: "role-sees", access_policy: "assigned" });
			const token = await signInToApplication(service, ADMIN);
			assert.deepEqual(await slugs(await service.adminToken(), "?q=role-sees"), ["role-sees"]);
			assert.deepEqual(await slugs(token, "?q=role-sees"), []);
		});

		it("answers whole records in pages, newest first, with the exact total", async () => {
			for (let index = 0; index < 5; index++) await addApplication(service, { name: `Paged ${index}` });
			const first = await list(cast.admin, "?q=paged&page_size=2");
			assert.deepEqual(
				[first.total, first.page, first.page_size, first.data.map((app) => app.name)],
				[5, 1, 2, ["Paged 4", "Paged 3"]],
			);
			assert.deepEqual(Object.keys(first.data[0] ?? {}), [
				"id",
				"tenant_id",
				"name",
				"slug",
				"description",
				"homepage_url",
				"logo_url",
				"redirect_uris",
				"access_policy",
				"status",
				"require_mfa",
				"created_at",
				"updated_at",
			]);
			const last = await list(cast.admin, "?q=PAGED&page_size=2&page=3");
			assert.deepEqual([last.total, last.data.length, last.data[0]?.name], [5, 1, "Paged 0"]);
			assert.deepEqual((await list(cast.admin, "?q=paged&page=9")).data, []);
		});

		it("filters by status, and searches literally in name and slug", async () => {
			await addApplication(service, { name: "100% sure_thing", slug: "certain" });
			await addApplication(service, { name: "100 percent sure thing", slug: "fairly", status: "disabled" });
			assert.deepEqual(await slugs(cast.admin, "?q=100%25"), ["certain"]);
			assert.deepEqual(await slugs(cast.admin, "?q=sure_"), ["certain"]);
			assert.deepEqual(await slugs(cast.admin, "?q=CERT"), ["certain"]);
			assert.deepEqual(await slugs(cast.admin, "?q=sure&status=active"), ["certain"]);
			assert.deepEqual(await slugs(cast.admin, "?q=sure&status=disabled"), ["fairly"]);
		});
	});

	describe("400", () => {
		it("names the parameter that is wrong", async () => {
			for (const [query, field] of [
				["?status=gone", "status"],
				["?page=0", "page"],
				["?page=x", "page"],
				["?page_size=101", "page_size"],
				["?page_size=0", "page_size"],
				[`?q=${"x".repeat(201)}`, "q"],
			] as const) {
				const { status, fields } = await problemOf(service, "GET", `${APPLICATIONS}${query}`);
				assert.deepEqual([status, fields], [400, [field]], query);
			}
		});
	});

	describe("401", () => {
		it("needs a token", () => assertUnauthenticated(service, "GET", APPLICATIONS));
	});
});
