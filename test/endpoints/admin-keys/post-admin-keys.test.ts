import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { DAY_MS } from "../../../src/kernel/clock.ts";
import { ADMIN_KEYS, addAdminKey, keyBody, statusWith } from "../../harness/admin-keys.ts";
import {
	addCast,
	assertForbidden,
	assertUnauthenticated,
	type Cast,
	problemOf,
} from "../../harness/applications.ts";
import { addPerson, auditOf, signInToApplication } from "../../harness/people.ts";
import { startTestService, type TestService } from "../../harness/service.ts";

describe("POST /api/v1/admin-keys", () => {
	let service: TestService;
	let cast: Cast;
	before(async () => {
		service = await startTestService();
		cast = await addCast(service);
	});
	after(() => service.stop());

	describe("201", () => {
		it("answers the record with its key, once, and audits it without the key", async () => {
			const fields = { name: "Report", roles: ["auditor"], ip_allowlist: ["127.0.0.1/32", "2001:DB8::/32"] };
			const body = keyBody(service, fields);
			const answer = await service.call("POST", ADMIN_KEYS, { token: cast.admin, body });
			assert.equal(answer.status, 201);
			assert.equal(answer.headers["cache-control"], "no-store");
			const { id, key, created_at: _, ...record } = answer.body.data;
			const me = (await service.call("GET", "/api/v1/users/me", { token: cast.admin })).body.data;
			assert.match(key, /^lk_[A-Za-z0-9_-]{43}$/);
			assert.deepEqual(record, {
				tenant_id: me.tenant_id,
				name: "Report",
				roles: ["auditor"],
				ip_allowlist: ["127.0.0.1/32", "2001:db8::/32"],
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

		it("lets an admin give the roles that an admin's include", async () => {
			const { token } = await addPerson(service, "justadmin", { roles: ["admin"] });
			const { roles } = await addAdminKey(service, { roles: ["reviewer", "auditor"] }, token);
			assert.deepEqual(roles, ["reviewer", "auditor"]);
		});
	});

	describe("400", () => {
		it("names the field", async () => {
			const now = service.clock.now();
			for (const [fields, field] of [
				[{ name: " " }, "name"],
				[{ roles: [] }, "roles"],
				[{ roles: ["owner"] }, "roles.0"],
				[{ ip_allowlist: ["203.0.113.7/8"] }, "ip_allowlist.0"],
				[{ expires_at: new Date(now - 1_000).toISOString() }, "expires_at"],
				[{ expires_at: new Date(now + 366.1 * DAY_MS).toISOString() }, "expires_at"],
				[{ expires_at: undefined }, "expires_at"],
				[{ scopes: [] }, "scopes"],
			] as const) {
				const answer = await problemOf(service, "POST", ADMIN_KEYS, keyBody(service, fields));
				assert.deepEqual([answer.status, answer.fields], [400, [field]], JSON.stringify(fields));
			}
		});

		it("accepts a whole leap year and not a day more", async () => {
			const expires_at = new Date(service.clock.now() + 366 * DAY_MS).toISOString();
			assert.equal((await addAdminKey(service, { expires_at })).expires_at, expires_at);
		});
	});

	describe("401", () => {
		it("needs a token", () => assertUnauthenticated(service, "POST", ADMIN_KEYS, {}));
	});

	describe("403", () => {
		it("refuses callers other than admins", () => {
			const { auditor, reviewer, plain } = cast;
			return assertForbidden(service, [auditor, reviewer, plain], "POST", ADMIN_KEYS, keyBody(service));
		});

		it("refuses roles beyond those of the creator", async () => {
			const { token } = await addPerson(service, "smalladmin", { roles: ["admin"] });
			const body = keyBody(service, { roles: ["admin", "platform_admin"] });
			const answer = await service.call("POST", ADMIN_KEYS, { token, body });
			assert.deepEqual(
				[answer.status, answer.body.error],
				[403, "an admin key has at most the roles of its creator"],
			);
		});

		it("refuses a key and a token of an application: keys are created in person", async () => {
			const { key } = await addAdminKey(service);
			const holder = await addPerson(service, "holder", { roles: ["admin"] });
			for (const token of [key, await signInToApplication(service, holder)]) {
				const answer = await service.call("POST", ADMIN_KEYS, { token, body: keyBody(service) });
				assert.equal(answer.status, 403);
			}
		});
	});
});
