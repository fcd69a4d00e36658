import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { CHAIN_VERSION } from "../../../src/domain/audit-chain.ts";
import { chainHash } from "../../../src/features/record/audit/chain.ts";
import { addPerson, type Person } from "../../harness/people.ts";
import { addSecondTenant, type SecondTenant } from "../../harness/second-tenant.ts";
import { startTestService, type TestService } from "../../harness/service.ts";

const PATH = "/api/v1/audit-events";

describe("GET /api/v1/audit-events", () => {
	let service: TestService;
	let auditor: Person;
	let plain: Person;
	let other: SecondTenant;
	before(async () => {
		service = await startTestService();
		auditor = await addPerson(service, "auditor", { roles: ["auditor"] });
		plain = await addPerson(service, "plain", {});
		other = await addSecondTenant(service);
	});
	after(() => service.stop());

	const list = async (query = "", token?: string) =>
		service.call("GET", `${PATH}?${query}`, { token: token ?? (await service.adminToken()) });

	describe("200", () => {
		it("lists the events, newest first, in the documented form", async () => {
			const { status, body } = await list("page_size=100", auditor.token);
			assert.equal(status, 200);
			assert.equal(body.total, body.data.length);
			assert.deepEqual(Object.keys(body.data[0] ?? {}).toSorted(), [
				"action",
				"actor",
				"actor_name",
				"at",
				"changes",
				"details",
				"hash",
				"id",
				"ip",
				"request_id",
				"summary",
				"target",
				"target_name",
			]);
			assert.equal(body.data.at(-1)?.action, "service.first_started");
			const created = body.data.find(({ action }) => action === "user.created");
			assert.ok(created);
			assert.match(created.actor, /^user:[0-9a-f-]{36}$/);
			assert.match(created.target, /^user:[0-9a-f-]{36}$/);
			assert.equal(created.ip, "127.0.0.1");
			assert.notEqual(created.request_id, "");
			assert.deepEqual(
				[created.actor_name, created.target_name, created.changes, created.summary],
				["admin", plain.username, {}, `admin created user ${plain.username}`],
			);
		});

		it("filters by actor, action, target, their names, request, address and time", async () => {
			const all = (await list("page_size=100")).body.data;
			const one = all.find(({ action }) => action === "user.created");
			assert.ok(one);
			const exact = ["actor", "actor_name", "action", "target", "target_name", "request_id", "ip"] as const;
			for (const filter of exact) {
				const expected = all.filter((event) => event[filter] === one[filter]).map(({ id }) => id);
				const found: typeof all = (await list(`page_size=100&${filter}=${encodeURIComponent(one[filter])}`))
					.body.data;
				assert.deepEqual(
					found.map(({ id }) => id),
					expected,
				);
			}
			assert.equal((await list("action=user")).body.total, 0);
			assert.equal((await list("actor_name=adm")).body.total, 0);
			assert.equal((await list("ip=::ffff:127.0.0.1")).body.total, (await list("ip=127.0.0.1")).body.total);
			const at = encodeURIComponent(one.at);
			const since = (await list(`page_size=100&from=${at}`)).body.data;
			assert.ok(since.some(({ id }) => id === one.id));
			const until = (await list(`page_size=100&to=${at}`)).body.data;
			assert.ok(!until.some(({ id }) => id === one.id));
			assert.equal(since.length + until.length, all.length);
		});

		it("chains the events: each hash covers the one before", async () => {
			const events = (await list("page_size=100")).body.data.toReversed();
			const tenantId = (await service.call("GET", "/api/v1/users/me", { token: await service.adminToken() }))
				.body.data.tenant_id;
			let previous = "";
			for (const [index, event] of events.entries()) {
				previous = chainHash(previous, {
					id: event.id,
					tenantId,
					sequence: index + 1,
					atMs: Date.parse(event.at),
					actor: event.actor,
					action: event.action,
					target: event.target,
					ip: event.ip,
					requestId: event.request_id,
					details: JSON.stringify(event.details),
					chainVersion: CHAIN_VERSION,
					actorName: event.actor_name,
					targetName: event.target_name,
					changes: JSON.stringify(event.changes),
				});
				assert.equal(event.hash, previous);
			}
		});

		it("shows nothing of another tenant", async () => {
			const { status, body } = await list("page_size=100", other.adminToken);
			assert.equal(status, 200);
			assert.ok(body.total > 0);
			const own = body.data;
			assert.ok(own.every(({ actor }) => !actor.includes(auditor.id)));
		});
	});

	describe("400", () => {
		for (const query of [
			"from=yesterday",
			"ip=localhost",
			"ip=127.0.0",
			"to=2026-02-31T00:00:00Z",
			"from=2026-01-01T00:00:00",
			"page=0",
			"page_size=101",
			"actor=a&actor=b",
		]) {
			it(`names the parameter: ${query}`, async () => {
				const { status, body } = await list(query);
				assert.equal(status, 400);
				assert.match(body.error, new RegExp(`^${/\w+/.exec(query)?.[0]} must`));
			});
		}
	});

	describe("401", () => {
		it("needs a token", async () => {
			const { status, headers } = await service.call("GET", PATH);
			assert.equal(status, 401);
			assert.equal(headers["www-authenticate"], "Bearer");
		});
	});

	describe("403", () => {
		it("is for admins and auditors only", async () => {
			const reviewer = await addPerson(service, "reviewer", { roles: ["reviewer"] });
			assert.equal((await list("", plain.token)).status, 403);
			assert.equal((await list("", reviewer.token)).status, 403);
		});
	});
});
