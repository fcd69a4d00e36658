// API clients: creation, list, record, change and deletion.

import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { isDeepStrictEqual } from "node:util";
import { createStatisticsStore } from "../../../src/adapters/stores/statistics-store.ts";
import { DAY_MS, HOUR_MS } from "../../../src/kernel/clock.ts";
import {
	decide,
	mailedToken,
	REQUESTS,
	submit,
	submitApproved,
} from "../../harness/access/access-requests.ts";
import {
	ABSENT_ID,
	API_CLIENTS,
	addApiClient,
	addApplication,
	type CreatedClient,
	problemOf,
	withSecret,
} from "../../harness/access/applications.ts";
import { until } from "../../harness/databases/ledger.ts";
import { auditOf, lastAuditOf, withDatabase } from "../../harness/people/people.ts";
import { addSecondTenant, type SecondTenant } from "../../harness/people/second-tenant.ts";
import { setup, testService } from "../../harness/runs/fixture.ts";
import { startTestService } from "../../harness/service/service.ts";

const WHOAMI = "/api/v1/external/whoami";

let token: string;
let other: SecondTenant;
const service = testService();
setup(async () => {
	[token, other] = [await service.adminToken(), await addSecondTenant(service)];
});

const read = async (id: string) => (await service.call("GET", `${API_CLIENTS}/${id}`, { token })).body.data;
const patch = (id: string, body: unknown) => service.call("PATCH", `${API_CLIENTS}/${id}`, { token, body });

describe("POST /api/v1/api-clients", () => {
	let app_id: string;
	before(async () => {
		app_id = (await addApplication(service)).id;
	});
	const create = (body: unknown) => service.call("POST", API_CLIENTS, { token, body });

	describe("201", () => {
		it("creates a client that can sign at once, and returns its Secret in this response only", async () => {
			const { status, headers, body } = await create({ app_id, name: " Partner " });
			assert.equal(status, 201);
			assert.equal(headers["cache-control"], "no-store");
			const { id, tenant_id, api_key, secret, created_by, created_at, ...rest } = withSecret(body.data);
			assert.deepEqual(rest, {
				app_id,
				name: "Partner",
				secret_hint: secret.slice(-4),
				public_keys: [],
				status: "active",
				disabled_reason: null,
				mode: "live",
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
				partner: null,
				purpose: null,
				updated_at: created_at,
			});
			assert.match(api_key, /^ak_[A-Za-z0-9_-]{24}$/);
			assert.match(secret, /^sk_[A-Za-z0-9_-]{43}$/);
			const me = await service.call("GET", "/api/v1/users/me", { token });
			assert.deepEqual([tenant_id, created_by], [me.body.data.tenant_id, me.body.data.id]);

			const signed = await service.signed(withSecret(body.data), "GET", WHOAMI);
			assert.equal(signed.status, 200, JSON.stringify(signed.body));
			assert.equal("secret" in (await read(id)), false);
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

		it("accepts and normalizes every field, and ignores server-assigned fields", async () => {
			const { status, body } = await create({
				app_id: app_id.toUpperCase(),
				name: "Everything",
				scopes: ["access:check:tenant", "users:read"],
				ip_allowlist: [" 2001:DB8::/32 ", "::ffff:192.0.2.1", "192.0.2.1", "10.0.0.0/8"],
				expires_at: "2031-01-01T01:00:00+01:00",
				id: ABSENT_ID,
				tenant_id: other.id,
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
			assert.notEqual(data.tenant_id, other.id);
			assert.notEqual(data.api_key, "ak_0123456789abcdef");
			assert.notEqual(data.secret, "sk_mine");
			assert.notEqual(data.created_by, ABSENT_ID);
		});

		it("accepts each field at its limit, an empty list of scopes, and no expiry", async () => {
			const most = Array.from({ length: 100 }, (_, index) => `10.0.0.${index}`);
			for (const [more, expected] of [
				[{ name: `${"😀".repeat(199)}a` }, {}],
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
			const past = new Date(service.clock.now()).toISOString();
			for (const [body, fields] of [
				[{ name, app_id: ABSENT_ID }, ["app_id"]],
				[
					{ app_id, name, ip_allowlist: ["10.0.0.1/8", "10.0.0.1", "010.0.0.1", "10.0.0.0/33"] },
					["ip_allowlist.0", "ip_allowlist.2", "ip_allowlist.3"],
				],
				[{ app_id, name, ip_allowlist: ["::ffff:10.0.0.0/8"] }, ["ip_allowlist.0"]],
				[{ app_id, name, ip_allowlist: ["fe80::1%eth0"] }, ["ip_allowlist.0"]],
				[{ app_id, name, expires_at: past }, ["expires_at"]],
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
			assert.match(messages[0] ?? "", /host bits set; the range is 10\.0\.0\.0\/8$/);
		});

		it("treats foreign and absent applications alike", async () => {
			const body = { app_id, name: "X" };
			const foreign = await service.call("POST", API_CLIENTS, { token: other.adminToken, body });
			const absent = await create({ app_id: ABSENT_ID, name: "X" });
			assert.deepEqual([foreign.status, foreign.body], [400, absent.body]);
		});
	});
});

describe("GET /api/v1/api-clients", () => {
	const list = async (query: "" | `?${string}` = "", as = token) => {
		const response = await service.call("GET", `${API_CLIENTS}${query}`, { token: as });
		assert.equal(response.status, 200, JSON.stringify(response.body));
		return response.body;
	};

	describe("200", () => {
		it("returns complete records without their Secrets, newest first, by application", async () => {
			const app_id = (await addApplication(service)).id;
			const clients: CreatedClient[] = [];
			for (const name of ["one", "two", "three"]) clients.push(await addApiClient(service, { app_id, name }));
			await addApiClient(service, { name: "elsewhere" });
			const unused = { calls_24h: 0, refused_24h: 0, calls_by_hour: new Array(24).fill(0) };
			const expected = clients.toReversed().map(({ secret: _, ...client }) => ({ ...client, ...unused }));
			const body = await list(`?app_id=${app_id.toUpperCase()}`);
			assert.deepEqual(body, { data: expected, total: 3, page: 1, page_size: 20 });
			for (const { secret } of clients) assert.ok(!JSON.stringify(body).includes(secret));
			const paged = await list(`?app_id=${app_id}&page=2&page_size=2`);
			assert.deepEqual([paged.total, paged.data], [3, expected.slice(2)]);
			assert.equal((await list(`?app_id=${ABSENT_ID}`)).total, 0);
			assert.equal((await list("", other.adminToken)).total, 0);
			assert.equal((await list(`?app_id=${app_id}`, other.adminToken)).total, 0);
		});

		it("counts the calls of 24 hours, and lists the most refused first", async () => {
			const app_id = (await addApplication(service)).id;
			const add = (name: string, fields = {}) => addApiClient(service, { app_id, name, ...fields });
			const day = (offset: number) => new Date(service.clock.now() + offset * DAY_MS).toISOString();
			const [failing, busy, idle] = [
				await add("b", { expires_at: day(2) }),
				await add("C", { expires_at: day(1) }),
				await add("a"),
			];
			const wrong = { ...failing, secret: `${failing.secret}x` };
			for (const client of [failing, wrong, wrong, busy, busy, busy, busy])
				await service.signed(client, "GET", WHOAMI);
			const sorted = async (sort: string) => (await list(`?app_id=${app_id}&sort=${sort}`)).data;
			await until("the calls are counted", async () => {
				const counts = (await sorted("newest")).map(({ calls_24h, refused_24h }) => [calls_24h, refused_24h]);
				return isDeepStrictEqual(counts, [
					[0, 0],
					[4, 0],
					[3, 2],
				]);
			});
			const expected = {
				refused_24h: [failing, idle, busy],
				calls_24h: [busy, failing, idle],
				name: [idle, failing, busy],
				expires_at: [busy, failing, idle],
			};
			for (const [sort, clients] of Object.entries(expected)) {
				const found = await sorted(sort);
				assert.deepEqual(
					found.map(({ name }) => name),
					clients.map(({ name }) => name),
					sort,
				);
				for (const { calls_by_hour: hours, calls_24h } of found) {
					assert.equal(hours.length, 24);
					// The hour may turn meanwhile.
					assert.equal(
						hours.slice(-2).reduce((sum, calls) => sum + calls, 0),
						calls_24h,
					);
				}
				const second = await list(`?app_id=${app_id}&sort=${sort}&page=2&page_size=1`);
				assert.deepEqual([second.total, second.data[0]?.id], [3, clients[1]?.id]);
			}
		});

		it("counts neither calls of earlier days nor of other tenants", async () => {
			const { id, tenant_id: tenantId, name } = await addApiClient(service, { name: "Yesterday" });
			const [now, call] = [
				service.clock.now(),
				{ subjectId: id, measure: "signed_call_refused", code: "x" } as const,
			];
			await withDatabase(service, (engine) =>
				engine.transaction((queries) =>
					createStatisticsStore(queries).add([
						{ ...call, tenantId, atMs: now - DAY_MS, total: 5 },
						{ ...call, tenantId, atMs: now - DAY_MS + 2 * HOUR_MS, total: 7 },
						{ ...call, tenantId: other.id, atMs: now, total: 11 },
					]),
				),
			);
			const [found] = (await list(`?q=${name}&sort=refused_24h`)).data;
			assert.deepEqual([found?.calls_24h, found?.refused_24h], [7, 7]);
		});

		it("filters by status", async () => {
			const off = await addApiClient(service);
			await patch(off.id, { status: "disabled" });
			const waiting = await submitApproved(service);
			const ids = async (status: string): Promise<string[]> =>
				(await list(`?status=${status}`)).data.map(({ id }) => id);
			const active = await addApiClient(service);
			const clients = [off.id, waiting.api_client_id, active.id];
			for (const [status, id] of [
				["disabled", off.id],
				["unclaimed", waiting.api_client_id],
				["active", active.id],
			] as const) {
				const found = await ids(status);
				assert.deepEqual(
					clients.filter((client) => found.includes(client)),
					[id],
					status,
				);
			}
		});

		it("searches name and API key literally and case-insensitively", async () => {
			const app_id = (await addApplication(service)).id;
			const till = await addApiClient(service, { app_id, name: "Till 100%_ä" });
			const scale = await addApiClient(service, { app_id, name: "Scale 1000" });
			const found = async (q: string): Promise<string[]> => {
				const { data, total } = await list(`?app_id=${app_id}&q=${encodeURIComponent(q)}`);
				assert.equal(total, data.length);
				return data.map(({ id }) => id);
			};
			assert.deepEqual(await found("tILL"), [till.id]);
			assert.deepEqual(await found("100"), [scale.id, till.id]);
			assert.deepEqual(await found("100%"), [till.id]);
			assert.deepEqual(await found("%_A"), [till.id]);
			assert.deepEqual(await found(scale.api_key), [scale.id]);
			assert.deepEqual(await found(till.api_key.slice(5, 20)), [till.id]);
			assert.deepEqual(await found(till.secret), []);
			assert.deepEqual(await found("nothing"), []);
			assert.equal((await list(`?q=${till.api_key}`, other.adminToken)).total, 0);
		});

		it("searches name, email address, and company of the applicant, within the tenant", async () => {
			const applicant = { applicant_name: "Grace Hopper", email: "grace@navy.example", company: "Cobol 60%" };
			const { id } = await submit(service, applicant);
			const { api_client_id } = await decide(service, id, "approve");
			const found = async (q: string): Promise<string[]> => {
				const { data, total } = await list(`?q=${encodeURIComponent(q)}`);
				assert.equal(total, data.length);
				return data.map((client) => client.id);
			};
			for (const q of ["hopper", "GRACE@navy", "cobol 60%", "Gräce"])
				assert.deepEqual(await found(q), [api_client_id], q);
			assert.deepEqual(await found("cobol 6_%"), []);
			assert.equal((await list("?q=hopper&status=unclaimed")).total, 1);
			assert.equal((await list("?q=hopper&status=active")).total, 0);
			assert.equal((await list("?q=hopper", other.adminToken)).total, 0);
		});

		it("filters by expiry: expires_after is inclusive, expires_before exclusive", async () => {
			const app_id = (await addApplication(service)).id;
			const day = (offset: number) => new Date(service.clock.now() + offset * DAY_MS).toISOString();
			const [soon, later] = [day(10), day(40)];
			const first = await addApiClient(service, { app_id, expires_at: soon });
			const second = await addApiClient(service, { app_id, expires_at: later });
			await addApiClient(service, { app_id });
			const ids = async (query: string): Promise<string[]> => {
				const { data, total } = await list(`?app_id=${app_id}&${query}`);
				assert.equal(total, data.length);
				return data.map(({ id }) => id);
			};
			assert.deepEqual(await ids(`expires_before=${later}`), [first.id]);
			assert.deepEqual(await ids(`expires_after=${later}`), [second.id]);
			assert.deepEqual(await ids(`expires_after=${soon}&expires_before=${day(41)}`), [second.id, first.id]);
			assert.deepEqual(await ids(`expires_before=${soon}`), []);
		});

		it("marks clients as dormant after exactly 90 days without use, and filters by it", async () => {
			// 90 days later, the other tokens of this file have expired.
			const own = await startTestService();
			try {
				const app_id = (await addApplication(own)).id;
				const never = await addApiClient(own, { app_id });
				const used = await addApiClient(own, { app_id });
				assert.ok(never.secret_created_at);
				const endsAt = Date.parse(never.secret_created_at) + 90 * DAY_MS;
				const dormant = async (value: string): Promise<string[]> => {
					const path = `${API_CLIENTS}?app_id=${app_id}&dormant=${value}` as const;
					const { data, total } = (await own.callAsAdmin("GET", path)).body;
					assert.equal(total, data.length);
					assert.ok(data.every((client) => String(client.dormant) === value));
					return data.map(({ id }) => id);
				};
				assert.deepEqual([await dormant("true"), await dormant("false")], [[], [used.id, never.id]]);
				own.clock.standAt(endsAt - 1);
				assert.deepEqual(await dormant("true"), []);
				own.clock.standAt(endsAt);
				assert.ok((await dormant("true")).includes(never.id));
				const options = { token: await own.adminToken(), body: {} };
				await own.call("POST", `${API_CLIENTS}/${used.id}/regenerate-secret`, options);
				assert.deepEqual([await dormant("true"), await dormant("false")], [[never.id], [used.id]]);
			} finally {
				await own.stop();
			}
		});
	});
});

describe("GET /api/v1/api-clients/{id}", () => {
	describe("200", () => {
		it("returns the record without its Secret", async () => {
			const { secret: _, ...client } = await addApiClient(service);
			const response = await service.call("GET", `${API_CLIENTS}/${client.id}`, { token });
			assert.deepEqual([response.status, response.body], [200, { data: client }]);
			assert.deepEqual([client.owner_name, client.owner_email, client.purpose], [null, null, null]);
		});

		it("returns the applicant and the purpose of the access request", async () => {
			const request = await submit(service, { applicant_name: "Grace", purpose: "To count\nships." });
			const { api_client_id } = await decide(service, request.id, "approve");
			assert.ok(api_client_id);
			const { owner_name, owner_email, partner, purpose } = await read(api_client_id);
			assert.deepEqual(
				[owner_name, owner_email, partner, purpose],
				["Grace", request.email, request.company, "To count\nships."],
			);
		});
	});
});

describe("PATCH /api/v1/api-clients/{id}", () => {
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
			assert.deepEqual(await lastAuditOf(service, `api_client:${before.id}`), [
				"api_client.updated",
				{ fields: Object.keys(changes), ...telling },
			]);
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

		it("writes nothing if nothing changes, and ignores server-assigned fields", async () => {
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
					tenant_id: other.id,
				},
			]) {
				const response = await patch(before.id, body);
				assert.deepEqual([response.status, response.body.data], [200, before]);
			}
			assert.equal((await auditOf(service, `api_client:${before.id}`)).length, 1);
		});

		it("prevents the claim of an unclaimed client while it is disabled", async () => {
			const request = await submitApproved(service);
			const claimToken = await mailedToken(service, request.email, "claim");
			const claim = () => service.call("POST", `${REQUESTS}/claim`, { body: { token: claimToken } });
			const disabled = await patch(request.api_client_id, { status: "disabled" });
			assert.deepEqual([disabled.status, disabled.body.data.status], [200, "disabled"]);
			assert.equal((await claim()).status, 404);
			const enabled = await patch(request.api_client_id, { status: "active" });
			assert.deepEqual([enabled.status, enabled.body.data.status], [200, "unclaimed"]);
			const claimed = await claim();
			assert.deepEqual([claimed.status, claimed.body.data.status], [201, "active"]);
			assert.equal((await service.signed(withSecret(claimed.body.data), "GET", WHOAMI)).status, 200);
		});
	});

	describe("400", () => {
		it("names the invalid field", async () => {
			const path = `${API_CLIENTS}/${(await addApiClient(service)).id}`;
			for (const [body, field] of [
				[{ ip_allowlist: ["10.0.0.1", "10.0.0.1/8"] }, "ip_allowlist.1"],
				[{ expires_at: "2001-01-01T00:00:00Z" }, "expires_at"],
			] as const) {
				const { status, fields } = await problemOf(service, "PATCH", path, body);
				assert.deepEqual([status, fields], [400, [field]], JSON.stringify(body));
			}
		});
	});

	describe("409", () => {
		it("does not activate an unclaimed client, and applies no part of the patch", async () => {
			const { api_client_id } = await submitApproved(service);
			const { status, code } = await problemOf(service, "PATCH", `${API_CLIENTS}/${api_client_id}`, {
				status: "active",
				name: "Other",
			});
			assert.deepEqual([status, code], [409, "api_client.unclaimed"]);
			const { status: kept, name } = await read(api_client_id);
			assert.deepEqual([kept, name === "Other"], ["unclaimed", false]);
			assert.equal((await patch(api_client_id, { name: "Other" })).status, 200);
		});
	});
});

describe("DELETE /api/v1/api-clients/{id}", () => {
	describe("204", () => {
		it("deletes the client, refuses its requests at once, and audits it", async () => {
			const client = await addApiClient(service);
			const signed = async () => (await service.signed(client, "GET", "/api/v1/external/whoami")).status;
			assert.equal(await signed(), 200);
			const response = await service.call("DELETE", `${API_CLIENTS}/${client.id}`, { token });
			assert.deepEqual([response.status, response.body], [204, undefined]);
			assert.equal(await signed(), 401);
			const { action, details } = (await auditOf(service, `api_client:${client.id}`)).at(-1) ?? {};
			const { app_id, name, api_key } = client;
			assert.deepEqual([action, details], ["api_client.deleted", { app_id, name, api_key }]);
		});

		it("accepts one of twenty concurrent requests", async () => {
			const path = `${API_CLIENTS}/${(await addApiClient(service)).id}`;
			const responses = await Promise.all(
				Array.from({ length: 20 }, () => service.call("DELETE", path, { token })),
			);
			const statuses = responses.map(({ status }) => status).toSorted();
			assert.deepEqual(statuses, [204, ...Array(19).fill(404)]);
		});
	});
});
