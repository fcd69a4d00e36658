import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import {
	ABSENT_ID,
	API_CLIENTS,
	addApplication,
	addCast,
	assertForbidden,
	assertUnauthenticated,
	type Cast,
	problemOf,
} from "../../harness/applications.ts";
import { auditOf } from "../../harness/people.ts";
import { startTestService, type TestService } from "../../harness/service.ts";

const WHOAMI = "/api/v1/external/whoami";

describe("POST /api/v1/api-clients", () => {
	let service: TestService;
	let cast: Cast;
	let app_id: string;
	before(async () => {
		service = await startTestService();
		cast = await addCast(service);
		app_id = (await addApplication(service)).id;
	});
	after(() => service.stop());

	const create = (body: unknown) => service.call("POST", API_CLIENTS, { token: cast.admin, body });

	describe("201", () => {
		it("creates a client that can sign at once, and shows its Secret in this answer only", async () => {
			const { status, headers, body } = await create({ app_id, name: " Partner " });
			assert.equal(status, 201);
			assert.equal(headers["cache-control"], "no-store");
			const { id, tenant_id, api_key, secret, created_by, created_at, ...rest } = body.data;
			assert.deepEqual(rest, {
				app_id,
				name: "Partner",
				secret_hint: secret.slice(-4),
				status: "active",
				scopes: ["users:read", "access:check", "third-party:read"],
				ip_allowlist: [],
				ip_allowlist_mode: "enforce",
				expires_at: null,
				last_used_at: null,
				last_used_ip: "",
				secret_created_at: created_at,
				previous_secret_expires_at: null,
				dormant: false,
				access_request_id: null,
				owner_name: null,
				owner_email: null,
				purpose: null,
				updated_at: created_at,
			});
			assert.match(api_key, /^ak_[A-Za-z0-9_-]{24}$/);
			assert.match(secret, /^sk_[A-Za-z0-9_-]{43}$/);
			const me = await service.call("GET", "/api/v1/users/me", { token: cast.admin });
			assert.deepEqual([tenant_id, created_by], [me.body.data.tenant_id, me.body.data.id]);

			const signed = await service.signed(body.data, "GET", WHOAMI);
			assert.equal(signed.status, 200, JSON.stringify(signed.body));
			const stored = await service.call("GET", `${API_CLIENTS}/${id}`, { token: cast.admin });
			assert.equal("secret" in stored.body.data, false);
			assert.ok(!service.logs().includes(secret));
			const audit = await auditOf(service, `api_client:${id}`);
			assert.deepEqual(
				audit.map(({ action, details }) => [action, details]),
				[
					[
						"api_client.created",
						{ app_id, name: "Partner", scopes: rest.scopes, ip_allowlist: [], ip_allowlist_mode: "enforce" },
					],
				],
			);
			assert.ok(!JSON.stringify(audit).includes(secret.slice(3)));
		});

		it("accepts and normalises every field, and ignores server-assigned fields", async () => {
			const { status, body } = await create({
				app_id: app_id.toUpperCase(),
				name: "Everything",
				scopes: ["access:check:tenant", "users:read"],
				ip_allowlist: [" 2001:DB8::/32 ", "::ffff:192.0.2.1", "192.0.2.1", "10.0.0.0/8"],
				expires_at: "2031-01-01T01:00:00+01:00",
				id: ABSENT_ID,
				tenant_id: cast.other.id,
				api_key: "ak_0123456789abcdef",
				secret: "sk_mine",
				status: "disabled",
				last_used_ip: "10.0.0.1",
				created_by: ABSENT_ID,
			});
			assert.equal(status, 201, JSON.stringify(body));
			const { data } = body;
			assert.deepEqual(data.scopes, ["users:read", "access:check:tenant"]);
			assert.deepEqual(data.ip_allowlist, ["2001:db8::/32", "192.0.2.1", "10.0.0.0/8"]);
			assert.equal(data.expires_at, "2031-01-01T00:00:00.000Z");
			assert.equal(data.status, "active");
			assert.deepEqual([data.app_id, data.last_used_ip], [app_id, ""]);
			assert.notEqual(data.id, ABSENT_ID);
			assert.notEqual(data.tenant_id, cast.other.id);
			assert.notEqual(data.api_key, "ak_0123456789abcdef");
			assert.notEqual(data.secret, "sk_mine");
			assert.notEqual(data.created_by, ABSENT_ID);
		});

		it("accepts each field at its limit, an empty list of scopes, and no expiry", async () => {
			const most = Array.from({ length: 100 }, (_, index) => `10.0.0.${index}`);
			for (const [more, expected] of [
				[{ name: "😀".repeat(200) }, {}],
				[{ ip_allowlist: most }, { ip_allowlist: most }],
				[
					{ scopes: [], ip_allowlist: [], expires_at: null },
					{ scopes: [], expires_at: null },
				],
			] as const) {
				const { status, body } = await create({ app_id, name: "Edge", ...more });
				assert.equal(status, 201, JSON.stringify(body));
				assert.deepEqual({ ...body.data, ...expected }, body.data);
			}
		});
	});

	describe("400", () => {
		it("names each field that is missing or wrong", async () => {
			const name = "X";
			const tooMany = Array.from({ length: 101 }, () => "10.0.0.1");
			const past = new Date(service.clock.now()).toISOString();
			for (const [body, fields] of [
				[{}, ["app_id", "name"]],
				[{ name }, ["app_id"]],
				[{ name, app_id: "x" }, ["app_id"]],
				[{ name, app_id: ABSENT_ID }, ["app_id"]],
				[{ name, app_id: 5 }, ["app_id"]],
				[{ app_id }, ["name"]],
				[{ app_id, name: " " }, ["name"]],
				[{ app_id, name: "x".repeat(201) }, ["name"]],
				[{ app_id, name, scopes: "users:read" }, ["scopes"]],
				[{ app_id, name, scopes: null }, ["scopes"]],
				[{ app_id, name, scopes: ["users:read", "everything"] }, ["scopes.1"]],
				[{ app_id, name, scopes: ["users:read", "users:read"] }, ["scopes"]],
				[{ app_id, name, ip_allowlist: "10.0.0.1" }, ["ip_allowlist"]],
				[{ app_id, name, ip_allowlist: tooMany }, ["ip_allowlist"]],
				[{ app_id, name, ip_allowlist_mode: "off" }, ["ip_allowlist_mode"]],
				[{ app_id, name, ip_allowlist_mode: null }, ["ip_allowlist_mode"]],
				[{ app_id, name, ip_allowlist: ["10.0.0.1", 5] }, ["ip_allowlist.1"]],
				[
					{ app_id, name, ip_allowlist: ["10.0.0.1/8", "10.0.0.1", "010.0.0.1", "10.0.0.0/33"] },
					["ip_allowlist.0", "ip_allowlist.2", "ip_allowlist.3"],
				],
				[{ app_id, name, ip_allowlist: ["::ffff:10.0.0.0/8"] }, ["ip_allowlist.0"]],
				[{ app_id, name, ip_allowlist: ["fe80::1%eth0"] }, ["ip_allowlist.0"]],
				[{ app_id, name, ip_allowlist: [""] }, ["ip_allowlist.0"]],
				[{ app_id, name, expires_at: "soon" }, ["expires_at"]],
				[{ app_id, name, expires_at: "2031-02-30T00:00:00Z" }, ["expires_at"]],
				[{ app_id, name, expires_at: "2031-01-01T00:00:00" }, ["expires_at"]],
				[{ app_id, name, expires_at: past }, ["expires_at"]],
				[{ app_id, name, expires_at: 1_900_000_000 }, ["expires_at"]],
			] as const) {
				const problem = await problemOf(service, "POST", API_CLIENTS, body);
				assert.deepEqual(
					[problem.status, problem.code, problem.fields],
					[400, "request.invalid", fields],
					JSON.stringify(body),
				);
			}
			const { messages } = await problemOf(service, "POST", API_CLIENTS, {
				app_id,
				name,
				ip_allowlist: ["10.0.0.1/8"],
			});
			assert.match(messages[0] ?? "", /host bits set \(the range is 10\.0\.0\.0\/8\)/);
		});

		it("answers foreign and absent applications alike", async () => {
			const body = { app_id, name: "X" };
			const foreign = await service.call("POST", API_CLIENTS, { token: cast.other.adminToken, body });
			const absent = await create({ app_id: ABSENT_ID, name: "X" });
			assert.deepEqual([foreign.status, foreign.body], [400, absent.body]);
		});
	});

	describe("401", () => {
		it("needs a token", () => assertUnauthenticated(service, "POST", API_CLIENTS, { app_id, name: "X" }));
	});

	describe("403", () => {
		it("refuses callers other than admins", () => {
			const { auditor, reviewer, plain } = cast;
			const body = { app_id, name: "X" };
			return assertForbidden(service, [auditor, reviewer, plain], "POST", API_CLIENTS, body);
		});
	});
});
