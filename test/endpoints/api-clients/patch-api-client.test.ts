import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { mailedToken, REQUESTS, submitApproved } from "../../harness/access-requests.ts";
import {
	ABSENT_ID,
	API_CLIENTS,
	addApiClient,
	addCast,
	assertForbidden,
	assertNotFound,
	assertUnauthenticated,
	type Cast,
	problemOf,
} from "../../harness/applications.ts";
import { auditOf } from "../../harness/people.ts";
import { startTestService, type TestService } from "../../harness/service.ts";

const WHOAMI = "/api/v1/external/whoami";

describe("PATCH /api/v1/api-clients/{id}", () => {
	let service: TestService;
	let cast: Cast;
	let path: string;
	before(async () => {
		service = await startTestService();
		cast = await addCast(service);
		path = `${API_CLIENTS}/${(await addApiClient(service)).id}`;
	});
	after(() => service.stop());

	const patch = (id: string, body: unknown) =>
		service.call("PATCH", `${API_CLIENTS}/${id}`, { token: cast.admin, body });

	describe("200", () => {
		it("changes the given fields, keeps the others, and audits it", async () => {
			const { secret: _, ...before } = await addApiClient(service);
			service.clock.advance(1_000);
			const changes = {
				name: "New name",
				scopes: ["access:check"],
				ip_allowlist: ["192.0.2.0/24"],
				ip_allowlist_mode: "report",
				expires_at: "2031-01-01T00:00:00.000Z",
				status: "disabled",
			};
			const { status, body } = await patch(before.id, changes);
			assert.equal(status, 200);
			const { updated_at, ...rest } = body.data;
			const { updated_at: old, ...expected } = { ...before, ...changes };
			assert.deepEqual(rest, expected);
			assert.ok(updated_at > old);
			const { name: _name, ...telling } = changes;
			const audit = (await auditOf(service, `api_client:${before.id}`)).at(-1);
			assert.deepEqual(
				[audit?.action, audit?.details],
				["api_client.updated", { fields: Object.keys(changes), ...telling }],
			);
			const cleared = await patch(before.id, { expires_at: null, ip_allowlist: [], scopes: [] });
			const { expires_at, ip_allowlist, scopes } = cleared.body.data;
			assert.deepEqual([expires_at, ip_allowlist, scopes], [null, [], []]);
		});

		it("applies status, allowlist and expiry to the client's next request", async () => {
			const client = await addApiClient(service);
			const signed = async (): Promise<number> => (await service.signed(client, "GET", WHOAMI)).status;
			assert.equal(await signed(), 200);
			await patch(client.id, { status: "disabled" });
			assert.equal(await signed(), 401);
			await patch(client.id, { status: "active", ip_allowlist: ["192.0.2.1"] });
			assert.equal(await signed(), 403);
			await patch(client.id, { ip_allowlist: ["127.0.0.0/8"] });
			assert.equal(await signed(), 200);
			const soon = new Date(service.clock.now() + 60_000).toISOString();
			await patch(client.id, { expires_at: soon });
			assert.equal(await signed(), 200);
			service.clock.advance(61_000);
			assert.equal(await signed(), 401);
			assert.equal((await patch(client.id, { expires_at: soon, name: "Past" })).status, 200);
			await patch(client.id, { expires_at: null });
			assert.equal(await signed(), 200);
		});

		it("writes nothing when nothing changes, and ignores server-assigned fields", async () => {
			const { secret: _, ...before } = await addApiClient(service, {
				ip_allowlist: ["192.0.2.1"],
				scopes: ["users:read", "access:check"],
			});
			service.clock.advance(1_000);
			for (const body of [
				{},
				undefined,
				{ name: before.name, status: "active", expires_at: null },
				{ ip_allowlist: ["::ffff:192.0.2.1"], scopes: ["access:check", "users:read"] },
				{
					id: ABSENT_ID,
					app_id: ABSENT_ID,
					api_key: "ak_0123456789abcdef",
					secret: "sk_x",
					tenant_id: cast.other.id,
				},
			]) {
				const answer = await patch(before.id, body);
				assert.deepEqual([answer.status, answer.body.data], [200, before]);
			}
			assert.equal((await auditOf(service, `api_client:${before.id}`)).length, 1);
		});

		it("prevents the claim of an unclaimed client while it is disabled", async () => {
			const request = await submitApproved(service);
			const token = await mailedToken(service, request.email, "claim");
			const claim = () => service.call("POST", `${REQUESTS}/claim`, { body: { token } });
			const disabled = await patch(request.api_client_id, { status: "disabled" });
			assert.deepEqual([disabled.status, disabled.body.data.status], [200, "disabled"]);
			assert.equal((await claim()).status, 404);
			const enabled = await patch(request.api_client_id, { status: "active" });
			assert.deepEqual([enabled.status, enabled.body.data.status], [200, "unclaimed"]);
			const claimed = await claim();
			assert.deepEqual([claimed.status, claimed.body.data.status], [201, "active"]);
			assert.equal((await service.signed(claimed.body.data, "GET", WHOAMI)).status, 200);
		});
	});

	describe("400", () => {
		it("names the field that is wrong", async () => {
			for (const [body, field] of [
				[{ name: "" }, "name"],
				[{ name: null }, "name"],
				[{ scopes: ["nothing"] }, "scopes.0"],
				[{ scopes: null }, "scopes"],
				[{ ip_allowlist: ["10.0.0.1", "10.0.0.1/8"] }, "ip_allowlist.1"],
				[{ ip_allowlist: null }, "ip_allowlist"],
				[{ ip_allowlist_mode: "Report" }, "ip_allowlist_mode"],
				[{ expires_at: "2001-01-01T00:00:00Z" }, "expires_at"],
				[{ expires_at: "" }, "expires_at"],
				[{ status: "unclaimed" }, "status"],
				[{ status: "deleted" }, "status"],
				[{ status: null }, "status"],
			] as const) {
				const { status, fields } = await problemOf(service, "PATCH", path, body);
				assert.deepEqual([status, fields], [400, [field]], JSON.stringify(body));
			}
		});
	});

	describe("401", () => {
		it("needs a token", () => assertUnauthenticated(service, "PATCH", path, {}));
	});

	describe("403", () => {
		it("refuses callers other than admins", () => {
			const { auditor, reviewer, plain } = cast;
			return assertForbidden(service, [auditor, reviewer, plain], "PATCH", path, { status: "disabled" });
		});
	});

	describe("404", () => {
		it("answers absent, malformed and foreign ids alike", () =>
			assertNotFound(
				service,
				[
					{ token: cast.admin, path: `${API_CLIENTS}/${ABSENT_ID}` },
					{ token: cast.admin, path: `${API_CLIENTS}/x` },
					{ token: cast.other.adminToken, path },
				],
				"PATCH",
				"api_client.not_found",
				{ status: "disabled" },
			));
	});

	describe("409", () => {
		it("does not activate an unclaimed client, and applies no part of the patch", async () => {
			const { api_client_id } = await submitApproved(service);
			const { status, code } = await problemOf(service, "PATCH", `${API_CLIENTS}/${api_client_id}`, {
				status: "active",
				name: "Other",
			});
			assert.deepEqual([status, code], [409, "api_client.unclaimed"]);
			const answer = await service.call("GET", `${API_CLIENTS}/${api_client_id}`, { token: cast.admin });
			assert.equal(answer.body.data.status, "unclaimed");
			assert.notEqual(answer.body.data.name, "Other");
			assert.equal((await patch(api_client_id, { name: "Other" })).status, 200);
		});
	});
});
