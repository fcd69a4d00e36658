import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { assertUnauthenticated, problemOf } from "../../harness/applications.ts";
import { addPerson, auditOf } from "../../harness/people.ts";
import { startTestService, type TestService } from "../../harness/service.ts";
import {
	addTenant,
	newTenant,
	TENANT_ADMIN_PASSWORD,
	TENANTS,
	tenantAdminToken,
} from "../../harness/tenants.ts";

describe("POST /api/v1/tenants", () => {
	let service: TestService;
	before(async () => {
		service = await startTestService();
	});
	after(() => service.stop());

	const create = async (body: unknown) =>
		service.call("POST", TENANTS, { token: await service.adminToken(), body });

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
			const foreign = await service.call("GET", `/api/v1/users/${rest.admin.id}`, {
				token: await service.adminToken(),
			});
			assert.equal(foreign.status, 404);
		});

		it("records the actor in their own trail, and only the action in the new trail", async () => {
			const tenant = await addTenant(service);
			const { name, slug } = tenant;
			const me = (await service.call("GET", "/api/v1/users/me", { token: await service.adminToken() })).body
				.data;
			// Two trails, each with numbers of its own.
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

		it("takes texts at their limits", async () => {
			const tenant = await addTenant(service, { name: "𝕏".repeat(200), slug: "x".repeat(64) });
			assert.deepEqual([[...tenant.name].length, tenant.slug.length], [200, 64]);
		});
	});

	describe("400", () => {
		it("names every field that is wrong", async () => {
			const admin = newTenant().admin as Record<string, unknown>;
			for (const [fields, wrong] of [
				[{ name: " " }, ["name"]],
				[{ name: "x".repeat(201) }, ["name"]],
				[{ slug: "x".repeat(65) }, ["slug"]],
				[{ slug: "North" }, ["slug"]],
				[{ slug: "a--b" }, ["slug"]],
				[{ slug: undefined, admin: undefined }, ["admin", "slug"]],
				[{ admin: { ...admin, username: "x" } }, ["admin.username"]],
				[{ admin: { ...admin, email: "x" } }, ["admin.email"]],
				[{ admin: { ...admin, password: undefined } }, ["admin.password"]],
			] as const) {
				const problem = await problemOf(service, "POST", TENANTS, newTenant(fields));
				assert.deepEqual([problem.status, problem.fields.sort()], [400, wrong], JSON.stringify(fields));
			}
		});

		it("applies the password rules to the admin's password", async () => {
			const admin = newTenant().admin as Record<string, unknown>;
			for (const [password, code] of [
				["short", "password.too_short"],
				["password123", "password.too_common"],
				["x".repeat(73), "password.too_long"],
				[admin.email, "password.same_as_name"],
			] as const) {
				const problem = await problemOf(
					service,
					"POST",
					TENANTS,
					newTenant({ admin: { ...admin, password } }),
				);
				assert.deepEqual([problem.status, problem.code], [400, code]);
			}
		});
	});

	describe("401", () => {
		it("needs a token", () => assertUnauthenticated(service, "POST", TENANTS, newTenant()));
	});

	describe("403", () => {
		it("allows platform admins only: an admin is not enough", async () => {
			const admin = await addPerson(service, "onlyadmin", { roles: ["admin", "reviewer", "auditor"] });
			const theirs = await tenantAdminToken(service, (await addTenant(service)).id);
			for (const token of [admin.token, theirs]) {
				const answer = await service.call("POST", TENANTS, { token, body: newTenant() });
				assert.equal(answer.status, 403);
				assert.match(answer.body.error, /platform_admin/);
			}
		});
	});

	describe("409", () => {
		it("accepts one of many, and keeps nothing of the others", async () => {
			const answers = await Promise.all(
				Array.from({ length: 12 }, () => create(newTenant({ slug: "contested" }))),
			);
			const statuses = answers.map(({ status }) => status).sort();
			assert.deepEqual(statuses, [201, ...Array.from({ length: 11 }, () => 409)]);
			const { code, fields } = await problemOf(service, "POST", TENANTS, newTenant({ slug: "default" }));
			assert.deepEqual([code, fields], ["tenant.slug_taken", ["slug"]]);
		});
	});
});
