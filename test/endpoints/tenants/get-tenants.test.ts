import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { assertUnauthenticated, problemOf } from "../../harness/applications.ts";
import { addPerson } from "../../harness/people.ts";
import { startTestService, type TestService } from "../../harness/service.ts";
import { addTenant, TENANTS, tenantAdminToken } from "../../harness/tenants.ts";
import type { BodyOfRow } from "../../harness/wire-body.ts";

describe("GET /api/v1/tenants", () => {
	let service: TestService;
	before(async () => {
		service = await startTestService();
	});
	after(() => service.stop());

	const list = async (query = "") =>
		(
			await service.call<BodyOfRow<"GET /api/v1/tenants">>("GET", `${TENANTS}${query}`, {
				token: await service.adminToken(),
			})
		).body;

	describe("200", () => {
		it("answers all of the installation in pages, newest first, the default one last", async () => {
			const created = [];
			for (let count = 0; count < 3; count++) {
				const { admin: _, ...tenant } = await addTenant(service);
				created.unshift(tenant);
			}
			const all = await list();
			assert.deepEqual([all.total, all.data.slice(0, 3), all.data[3]?.slug], [4, created, "default"]);
			assert.deepEqual(await list("?page=2&page_size=2"), {
				data: all.data.slice(2),
				total: 4,
				page: 2,
				page_size: 2,
			});
		});

		it("finds parts of name and slug, taken literally", async () => {
			const found = await addTenant(service, { name: "100% North", slug: "quite-far-up" });
			for (const q of ["0% n", "FAR-up"])
				assert.deepEqual(
					(await list(`?q=${encodeURIComponent(q)}`)).data.map(({ id }) => id),
					[found.id],
				);
			assert.equal((await list("?q=_")).total, 0);
		});
	});

	describe("400", () => {
		it("names the parameter that is wrong", async () => {
			const { status, fields } = await problemOf(service, "GET", `${TENANTS}?page=0`);
			assert.deepEqual([status, fields], [400, ["page"]]);
		});
	});

	describe("401", () => {
		it("needs a token", () => assertUnauthenticated(service, "GET", TENANTS));
	});

	describe("403", () => {
		it("allows platform admins only: an admin is not enough", async () => {
			const admin = await addPerson(service, "onlyadmin", { roles: ["admin", "reviewer", "auditor"] });
			const theirs = await tenantAdminToken(service, (await addTenant(service)).id);
			for (const token of [admin.token, theirs])
				assert.equal((await service.call("GET", TENANTS, { token })).status, 403);
		});
	});
});
