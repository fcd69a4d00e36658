// Admin keys: creation, list and deletion.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { DAY_MS } from "../../src/kernel/clock.ts";
import { problemOf } from "../harness/access/applications.ts";
import { ADMIN_KEYS, addAdminKey, keyBody, statusWith } from "../harness/people/admin-keys.ts";
import { addPerson, auditOf } from "../harness/people/people.ts";
import { addSecondTenant } from "../harness/people/second-tenant.ts";
import { testService } from "../harness/runs/fixture.ts";

const service = testService();

describe("POST /api/v1/admin-keys", () => {
	describe("201", () => {
		it("returns the record with its key, once, and audits the creation without the key", async () => {
			const fields = { name: "Report", roles: ["auditor"], ip_allowlist: ["127.0.0.1/32", "2001:DB8::/32"] };
			const body = keyBody(service, fields);
			const response = await service.callAsAdmin("POST", ADMIN_KEYS, { body });
			assert.equal(response.status, 201);
			assert.equal(response.headers["cache-control"], "no-store");
			const { id, key, created_at: _, ...record } = response.body.data;
			const me = await service.asAdmin("GET", "/api/v1/users/me");
			assert.match(key, /^lk_[A-Za-z0-9_-]{43}$/);
			assert.deepEqual(record, {
				tenant_id: me.tenant_id,
				name: "Report",
				roles: ["auditor"],
				ip_allowlist: ["127.0.0.1/32", "2001:db8::/32"],
				workloads: [],
				expires_at: body.expires_at,
				last_used_at: null,
				last_used_ip: "",
				created_by: me.id,
			});
			assert.equal(await statusWith(service, { key }), 200);
			const [{ actor, action, details } = {}] = await auditOf(service, `admin_key:${id}`);
			assert.deepEqual([actor, action], [`user:${me.id}`, "admin_key.created"]);
			const { name, roles, ip_allowlist, expires_at } = record;
			assert.deepEqual(details, { name, roles, ip_allowlist, expires_at });
			assert.ok(!service.logs().includes(key));
		});

		it("lets an admin grant the roles that an admin's include", async () => {
			const { token } = await addPerson(service, "justadmin", { roles: ["admin"] });
			const { roles } = await addAdminKey(service, { roles: ["reviewer", "auditor"] }, token);
			assert.deepEqual(roles, ["reviewer", "auditor"]);
		});

		it("accepts an expiry 366 days ahead", async () => {
			const expires_at = new Date(service.clock.now() + 366 * DAY_MS).toISOString();
			assert.equal((await addAdminKey(service, { expires_at })).expires_at, expires_at);
		});
	});

	describe("400", () => {
		it("names the invalid field", async () => {
			const now = service.clock.now();
			for (const [fields, field] of [
				[{ ip_allowlist: ["203.0.113.7/8"] }, "ip_allowlist.0"],
				[{ expires_at: new Date(now - 1_000).toISOString() }, "expires_at"],
				[{ expires_at: new Date(now + 366.1 * DAY_MS).toISOString() }, "expires_at"],
			] as const) {
				const response = await problemOf(service, "POST", ADMIN_KEYS, keyBody(service, fields));
				assert.deepEqual([response.status, response.fields], [400, [field]], JSON.stringify(fields));
			}
		});
	});

	describe("403", () => {
		it("refuses roles beyond those of the creator", async () => {
			const { token } = await addPerson(service, "smalladmin", { roles: ["admin"] });
			const body = keyBody(service, { roles: ["admin", "platform_admin"] });
			const response = await service.call("POST", ADMIN_KEYS, { token, body });
			assert.deepEqual(
				[response.status, response.body.error],
				[403, "an admin key has at most the roles of its creator"],
			);
		});
	});
});

describe("GET /api/v1/admin-keys", () => {
	describe("200", () => {
		it("pages through the tenant's keys, newest first, without the keys themselves", async () => {
			const { adminToken: token } = await addSecondTenant(service);
			const created = [];
			for (let count = 0; count < 3; count++) {
				const fields = { name: `Key ${count}`, ip_allowlist: ["203.0.113.7"] };
				created.push(await addAdminKey(service, fields, token));
			}
			const response = await service.call("GET", `${ADMIN_KEYS}?page_size=2`, { token });
			const { data, ...counts } = response.body;
			assert.deepEqual(counts, { total: 3, page: 1, page_size: 2 });
			const listed = created.map(({ key: _, ...record }) => record).toReversed();
			assert.deepEqual(data, listed.slice(0, 2));
			for (const { key } of created) assert.ok(!JSON.stringify(response.body).includes(key));
		});

		it("lists an expired key, which authenticates no request", async () => {
			const key = await addAdminKey(service);
			service.clock.advance(DAY_MS);
			const response = await service.callAsAdmin("GET", ADMIN_KEYS);
			assert.equal(response.body.data.find(({ id }) => id === key.id)?.expires_at, key.expires_at);
			assert.equal(await statusWith(service, key), 401);
		});
	});
});

describe("DELETE /api/v1/admin-keys/{id}", () => {
	const remove = (id: string, token: string) => service.call("DELETE", `${ADMIN_KEYS}/${id}`, { token });

	describe("204", () => {
		it("revokes the key at once, and audits the deletion", async () => {
			const key = await addAdminKey(service);
			assert.equal(await statusWith(service, key), 200);
			const response = await remove(key.id, await service.adminToken());
			assert.deepEqual([response.status, response.body], [204, undefined]);
			assert.equal(await statusWith(service, key), 401);
			const { action, details } = (await auditOf(service, `admin_key:${key.id}`)).at(-1) ?? {};
			const { name, created_by } = key;
			assert.deepEqual([action, details], ["admin_key.deleted", { name, created_by, reason: "deleted" }]);
		});

		it("lets any admin of the tenant delete a key, even one with the role platform_admin", async () => {
			const key = await addAdminKey(service, { roles: ["platform_admin"] });
			const { token } = await addPerson(service, "otheradmin", { roles: ["admin"] });
			assert.equal((await remove(key.id, token)).status, 204);
			assert.equal(await statusWith(service, key), 401);
		});

		it("accepts one of twenty concurrent requests", async () => {
			const [{ id }, token] = [await addAdminKey(service), await service.adminToken()];
			const responses = await Promise.all(Array.from({ length: 20 }, () => remove(id, token)));
			const statuses = responses.map(({ status }) => status).toSorted();
			assert.deepEqual(statuses, [204, ...Array(19).fill(404)]);
		});
	});
});
