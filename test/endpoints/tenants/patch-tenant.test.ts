import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { ABSENT_ID, assertNotFound, assertUnauthenticated, problemOf } from "../../harness/applications.ts";
import { auditOf } from "../../harness/people.ts";
import { startTestService, type TestService } from "../../harness/service.ts";
import { addTenant, TENANTS, tenantAdminToken } from "../../harness/tenants.ts";

describe("PATCH /api/v1/tenants/{id}", () => {
	let service: TestService;
	let tenant: { id: string; slug: string };
	before(async () => {
		service = await startTestService();
		tenant = await addTenant(service);
	});
	after(() => service.stop());

	const path = (id = tenant.id) => `${TENANTS}/${id}` as const;
	const patch = async (body: unknown, id = tenant.id) =>
		service.call("PATCH", path(id), { token: await service.adminToken(), body });
	const findDefault = async (): Promise<{ id: string; name: string }> => {
		const { body } = await service.call("GET", `${TENANTS}?q=default`, { token: await service.adminToken() });
		const found = body.data.find(({ slug }) => slug === "default");
		assert.ok(found);
		return found;
	};

	describe("200", () => {
		it("changes the given fields, keeps the others, and audits it in both trails", async () => {
			const { admin: _, ...before } = await addTenant(service);
			service.clock.advance(1_000);
			const { status, body } = await patch({ name: "After", id: "x" }, before.id);
			assert.equal(status, 200);
			assert.ok(body.data.updated_at > before.updated_at);
			assert.deepEqual(body.data, { ...before, name: "After", updated_at: body.data.updated_at });
			assert.equal((await patch({ slug: "renamed" }, before.id)).body.data.slug, "renamed");
			assert.equal(body.data.require_mfa, false);
			assert.equal((await patch({ require_mfa: true }, before.id)).body.data.require_mfa, true);
			const rows = (await auditOf(service, `tenant:${before.id}`)).filter(
				({ action }) => action === "tenant.updated",
			);
			const kinds = rows.map(({ actor, details }) => `${actor.split(":")[0]} ${JSON.stringify(details)}`);
			assert.deepEqual(kinds.sort(), [
				'system {"fields":["name"],"name":"After"}',
				'system {"fields":["require_mfa"],"require_mfa":true}',
				'system {"fields":["slug"],"slug":"renamed"}',
				'user {"fields":["name"],"name":"After"}',
				'user {"fields":["require_mfa"],"require_mfa":true}',
				'user {"fields":["slug"],"slug":"renamed"}',
			]);
		});

		it("writes nothing where nothing differs", async () => {
			const { admin: _, ...before } = await addTenant(service);
			service.clock.advance(1_000);
			assert.deepEqual((await patch({ name: before.name, slug: before.slug }, before.id)).body.data, before);
			assert.equal((await auditOf(service, `tenant:${before.id}`)).length, 2);
		});

		it("renames the default tenant, with one audit event", async () => {
			const { id } = await findDefault();
			assert.equal((await patch({ name: "Home", slug: "default" }, id)).body.data.name, "Home");
			assert.equal((await auditOf(service, `tenant:${id}`)).length, 1);
		});
	});

	describe("400", () => {
		it("names every field that is wrong", async () => {
			const problem = await problemOf(service, "PATCH", path(), { name: " ", slug: "A" });
			assert.deepEqual([problem.status, problem.fields.sort()], [400, ["name", "slug"]]);
		});
	});

	describe("401", () => {
		it("needs a token", () => assertUnauthenticated(service, "PATCH", path(), {}));
	});

	describe("403", () => {
		it("refuses the tenant's own admin", async () => {
			const token = await tenantAdminToken(service, tenant.id);
			assert.equal((await service.call("PATCH", path(), { token, body: {} })).status, 403);
		});
	});

	describe("404", () => {
		it("answers absent and malformed ids alike", async () => {
			const token = await service.adminToken();
			const calls = [ABSENT_ID, "x"].map((id) => ({ token, path: path(id) }));
			await assertNotFound(service, calls, "PATCH", "tenant.not_found", { name: "New" });
		});
	});

	describe("409", () => {
		it("refuses another tenant's slug", async () => {
			const other = await addTenant(service);
			const { status, code, fields } = await problemOf(service, "PATCH", path(), { slug: other.slug });
			assert.deepEqual([status, code, fields], [409, "tenant.slug_taken", ["slug"]]);
		});

		it("keeps the slug of the default tenant", async () => {
			const { id } = await findDefault();
			const { status, code } = await problemOf(service, "PATCH", path(id), { slug: "other" });
			assert.deepEqual([status, code], [409, "tenant.is_default"]);
		});
	});
});
