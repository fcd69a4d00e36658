// Tenants: list, create, read, change.

import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { problemOf } from "../harness/access/applications.ts";
import { addContestedResource } from "../harness/openid/oauth-clients.ts";
import { addAdminKey } from "../harness/people/admin-keys.ts";
import { auditOf } from "../harness/people/people.ts";
import {
	addTenant,
	newTenant,
	TENANT_ADMIN_PASSWORD,
	TENANTS,
	tenantAdminToken,
} from "../harness/people/tenants.ts";
import { fixture, testService } from "../harness/runs/fixture.ts";
import type { BodyOfRow } from "../harness/service/wire-body.ts";

const service = testService();

describe("GET /api/v1/tenants", () => {
	const list = async (query = "") =>
		(await service.callAsAdmin<BodyOfRow<"GET /api/v1/tenants">>("GET", `${TENANTS}${query}`)).body;

	describe("200", () => {
		it("returns all tenants in pages, newest first, the default tenant last", async () => {
			const created = [];
			for (let count = 0; count < 3; count++) {
				const { admin: _, ...tenant } = await addTenant(service, { name: `Listed ${count}` });
				created.unshift(tenant);
			}
			const all = await list("?page_size=100");
			assert.deepEqual([all.total, all.data.at(-1)?.slug], [all.data.length, "default"]);
			const found = { data: created, total: 3 };
			assert.deepEqual(await list("?q=listed"), { ...found, page: 1, page_size: 20 });
			assert.deepEqual(await list("?q=listed&page=2&page_size=2"), {
				...found,
				data: created.slice(2),
				page: 2,
				page_size: 2,
			});
		});

		it("finds literal parts of name and slug", async () => {
			const found = await addTenant(service, { name: "100% Nörth", slug: "quite-far-up" });
			for (const q of ["0% no", "FAR-up"])
				assert.deepEqual(
					(await list(`?q=${encodeURIComponent(q)}`)).data.map(({ id }) => id),
					[found.id],
				);
			assert.equal((await list("?q=_")).total, 0);
		});
	});
});

describe("POST /api/v1/tenants", () => {
	const create = async (body: unknown) => service.callAsAdmin("POST", TENANTS, { body });

	describe("201", () => {
		it("creates a tenant whose admin signs in and manages only that tenant", async () => {
			const { id, created_at, updated_at, ...rest } = await addTenant(service, {
				name: "  North ",
				slug: "north",
				id: "x",
			});
			assert.equal(created_at, updated_at);
			assert.deepEqual(
				{ ...rest, admin: { ...rest.admin, id: "" } },
				{
					name: "North",
					slug: "north",
					require_mfa: false,
					sender_addresses: [],
					program_requests: false,
					mailed_code: false,
					test_clients: false,
					managed_by: null,
					dormant_after_days: null,
					client_dormant_after_days: null,
					partner_keys_need_review: false,
					second_factor_help: false,
					admin: { id: "", username: "admin", email: rest.admin.email },
				},
			);
			const token = await tenantAdminToken(service, id);
			const { body } = await service.call("GET", "/api/v1/users", { token });
			assert.equal(body.total, 1);
			const [admin] = body.data;
			assert.ok(admin);
			assert.deepEqual(
				[admin.id, admin.tenant_id, admin.roles, admin.status, admin.email_verified],
				[rest.admin.id, id, ["admin"], "active", true],
			);
			const foreign = await service.callAsAdmin("GET", `/api/v1/users/${rest.admin.id}`);
			assert.equal(foreign.status, 404);
		});

		it("records the actor in the trail of the actor's tenant, and only the action in the new trail", async () => {
			const tenant = await addTenant(service);
			const { name, slug } = tenant;
			const me = await service.asAdmin("GET", "/api/v1/users/me");
			// Two trails, each with its own numbers.
			const rows = await auditOf(service, `tenant:${tenant.id}`);
			assert.deepEqual(rows.map(({ actor, action, details }) => [actor, action, details]).sort(), [
				["system", "tenant.created", { name, slug }],
				[`user:${me.id}`, "tenant.created", { name, slug }],
			]);
			const token = await tenantAdminToken(service, tenant.id);
			const { body } = await service.call("GET", "/api/v1/audit-events", { token });
			const trail = body.data.toReversed();
			assert.deepEqual(
				trail.slice(0, 2).map(({ actor, action, ip }) => [actor, action, ip]),
				[
					["system", "tenant.created", ""],
					["system", "user.created", ""],
				],
			);
			assert.equal(trail[1]?.target, `user:${tenant.admin.id}`);
			assert.ok(!JSON.stringify(body).includes(me.id));
			assert.ok(!JSON.stringify(body).includes(TENANT_ADMIN_PASSWORD));
		});

		it("accepts texts at their limits", async () => {
			const tenant = await addTenant(service, { name: "𝕏".repeat(200), slug: "x".repeat(64) });
			assert.deepEqual([[...tenant.name].length, tenant.slug.length], [200, 64]);
		});
	});

	describe("400", () => {
		it("applies the password rules to the admin's password", async () => {
			const admin = newTenant().admin as Record<string, unknown>;
			for (const [password, code] of [
				["short", "password.too_short"],
				["password123", "password.too_common"],
				["x".repeat(73), "password.too_long"],
				[admin.email, "password.same_as_name"],
			] as const) {
				const body = newTenant({ admin: { ...admin, password } });
				const problem = await problemOf(service, "POST", TENANTS, body);
				assert.deepEqual([problem.status, problem.code], [400, code]);
			}
		});
	});

	describe("409", () => {
		it("accepts one of twelve concurrent requests with one slug", async () => {
			const responses = await Promise.all(
				Array.from({ length: 12 }, () => create(newTenant({ slug: "contested" }))),
			);
			const statuses = responses.map(({ status }) => status).sort();
			assert.deepEqual(statuses, [201, ...Array.from({ length: 11 }, () => 409)]);
			const { code, fields } = await problemOf(service, "POST", TENANTS, newTenant({ slug: "default" }));
			assert.deepEqual([code, fields], ["tenant.slug_taken", ["slug"]]);
		});
	});
});

describe("GET /api/v1/tenants/{id}", () => {
	let tenant: { id: string };
	before(async () => {
		const { admin: _, ...rest } = await addTenant(service);
		tenant = rest;
	});

	const path = (): string => `${TENANTS}/${tenant.id}`;

	describe("200", () => {
		it("returns the tenant", async () => {
			const { status, body } = await service.callAsAdmin("GET", path());
			assert.deepEqual([status, body], [200, { data: tenant }]);
		});
	});
});

describe("PATCH /api/v1/tenants/{id}", () => {
	const tenant = fixture(() => addTenant(service));

	const path = (id = tenant.id) => `${TENANTS}/${id}` as const;
	const patch = async (body: unknown, id = tenant.id) => service.callAsAdmin("PATCH", path(id), { body });
	const findDefault = async (): Promise<{ id: string; name: string }> => {
		const { body } = await service.callAsAdmin("GET", `${TENANTS}?q=default`);
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

		it("writes nothing if nothing changes", async () => {
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

	describe("403", () => {
		for (const body of [{ require_mfa: true }, { sender_addresses: ["ceo@bank.example"] }])
			it(`rejects a change of ${Object.keys(body)} by an admin key`, async () => {
				const { key: token } = await addAdminKey(service, { roles: ["platform_admin"] });
				const response = await service.call("PATCH", path(), { token, body });
				assert.equal(response.status, 403);
			});
	});

	describe("409", () => {
		it("returns 409 for the slug of another tenant", async () => {
			const other = await addTenant(service);
			const { status, code, fields } = await problemOf(service, "PATCH", path(), { slug: other.slug });
			assert.deepEqual([status, code, fields], [409, "tenant.slug_taken", ["slug"]]);
		});

		it("returns 409 for a new slug of the default tenant", async () => {
			const { id } = await findDefault();
			const { status, code } = await problemOf(service, "PATCH", path(id), { slug: "other" });
			assert.deepEqual([status, code], [409, "tenant.is_default"]);
		});
	});
});

describe("GET /api/v1/contested-resources", () => {
	describe("200", () => {
		it("names the API that gets no tokens, its tenant, and the tenant that gets them", async () => {
			const resource = "https://contested.example/api";
			assert.deepEqual(await service.asAdmin("GET", "/api/v1/contested-resources"), []);
			const { firstTenantId, tenantId, applicationId } = await addContestedResource(service, resource);
			const nameOf = async (id: string) => (await service.asAdmin("GET", `/api/v1/tenants/${id}`)).name;
			const [row, ...others] = await service.asAdmin("GET", "/api/v1/contested-resources");
			assert.deepEqual(others, []);
			assert.deepEqual(row, {
				resource,
				application_id: applicationId,
				tenant_id: tenantId,
				tenant_name: await nameOf(tenantId),
				assigned_tenant_id: firstTenantId,
				assigned_tenant_name: await nameOf(firstTenantId),
				created_at: row?.created_at,
			});
			await service.asAdmin("PUT", `${TENANTS}/${tenantId}/resources`, { resource });
			const [after] = await service.asAdmin("GET", "/api/v1/contested-resources");
			assert.deepEqual([after?.tenant_id, after?.assigned_tenant_id], [firstTenantId, tenantId]);
		});
	});
});

describe("PUT /api/v1/tenants/{id}/resources", () => {
	const put = async (id: string, body: unknown, token?: string) =>
		service.call("PUT", `${TENANTS}/${id}/resources`, { token: token ?? (await service.adminToken()), body });

	describe("204", () => {
		it("assigns the resource, with an audit event in both trails", async () => {
			const { id } = await addTenant(service);
			assert.equal((await put(id, { resource: "https://api.example.com" })).status, 204);
			const rows = (await auditOf(service, `tenant:${id}`)).filter(
				({ action }) => action === "tenant.resource_assigned",
			);
			assert.deepEqual(
				rows.map(({ actor, details }) => `${actor.split(":")[0]} ${JSON.stringify(details)}`).sort(),
				['system {"resource":"https://api.example.com"}', 'user {"resource":"https://api.example.com"}'],
			);
		});
	});
});
