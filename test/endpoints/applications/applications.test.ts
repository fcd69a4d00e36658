// Applications: list, create, read, change, delete.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { submitApproved } from "../../harness/access/access-requests.ts";
import {
	ABSENT_ID,
	API_CLIENTS,
	APPLICATIONS,
	addApiClient,
	addApplication,
	addCast,
	addRole,
	problemOf,
	putGrant,
} from "../../harness/access/applications.ts";
import { addGate } from "../../harness/access/gates.ts";
import { addGroup, putGroupGrant } from "../../harness/access/groups.ts";
import { until } from "../../harness/databases/ledger.ts";
import { addManyUsers } from "../../harness/databases/many-users.ts";
import { putOAuthClient } from "../../harness/openid/oauth-clients.ts";
import { addProgram } from "../../harness/openid/programs.ts";
import { auditOf, signInToApplication } from "../../harness/people/people.ts";
import { fixture, testService } from "../../harness/runs/fixture.ts";
import { ADMIN } from "../../harness/service/service.ts";

type Query = "" | `?${string}`;

const service = testService();
const cast = fixture(() => addCast(service));

describe("GET /api/v1/applications", () => {
	const list = async (token: string, query: Query = "") => {
		const response = await service.call("GET", `${APPLICATIONS}${query}`, { token });
		assert.equal(response.status, 200, JSON.stringify(response.body));
		return response.body;
	};
	const slugs = async (token: string, query?: Query): Promise<string[]> =>
		(await list(token, query)).data.map(({ slug }) => slug);

	describe("200", () => {
		it("lists all applications for admins, reviewers and auditors, and for others those they may use", async () => {
			await addApplication(service, { slug: "seen-open", access_policy: "open" });
			await addApplication(service, { slug: "seen-closed" });
			await addApplication(service, { slug: "seen-off", access_policy: "open", status: "disabled" });
			const granted = await addApplication(service, { slug: "seen-granted" });
			const grantedOff = await addApplication(service, { slug: "seen-granted-off", status: "disabled" });
			await putGrant(service, granted.id, cast.plain.id);
			await putGrant(service, grantedOff.id, cast.plain.id);

			const all = ["seen-granted-off", "seen-granted", "seen-off", "seen-closed", "seen-open"];
			for (const token of [cast.admin, cast.reviewer.token, cast.auditor.token]) {
				assert.deepEqual(await slugs(token, "?q=seen"), all);
			}
			assert.deepEqual(await slugs(cast.plain.token, "?q=seen"), ["seen-granted", "seen-open"]);
			assert.deepEqual(await slugs(cast.plain.token, "?q=seen&status=disabled"), []);
			assert.deepEqual(await slugs(cast.other.adminToken, "?q=seen"), []);
		});

		it("lists for an application token only what its user may use, regardless of the user's roles", async () => {
			await addApplication(service, { slug: "role-sees", access_policy: "assigned" });
			const token = await signInToApplication(service, ADMIN);
			assert.deepEqual(await slugs(await service.adminToken(), "?q=role-sees"), ["role-sees"]);
			assert.deepEqual(await slugs(token, "?q=role-sees"), []);
		});

		it("returns complete records in pages, newest first, with the exact total", async () => {
			for (let index = 0; index < 5; index++) await addApplication(service, { name: `Paged ${index}` });
			const first = await list(cast.admin, "?q=paged&page_size=2");
			assert.deepEqual(
				[first.total, first.page, first.page_size, first.data.map((app) => app.name)],
				[5, 1, 2, ["Paged 4", "Paged 3"]],
			);
			assert.deepEqual(Object.keys(first.data[0] ?? {}), [
				"id",
				"tenant_id",
				"kind",
				"name",
				"slug",
				"description",
				"homepage_url",
				"logo_url",
				"redirect_uris",
				"access_policy",
				"status",
				"require_mfa",
				"support_sessions",
				"created_at",
				"updated_at",
				"access_request_id",
				"managed_by",
				"last_sign_in_at",
			]);
			const last = await list(cast.admin, "?q=PAGED&page_size=2&page=3");
			assert.deepEqual([last.total, last.data.length, last.data[0]?.name], [5, 1, "Paged 0"]);
			assert.deepEqual((await list(cast.admin, "?q=paged&page=9")).data, []);
		});

		it("says with include=usage how users sign in, and how many users and API clients there are", async () => {
			const ids = [cast.plain.id, cast.auditor.id, cast.reviewer.id] as const;
			const openid = await addApplication(service, { slug: "used-openid", access_policy: "open" });
			await putOAuthClient(service, { type: "web" }, openid.id);
			const machine = await addApplication(service, {
				slug: "used-service",
				redirect_uris: ["https://a.example/"],
			});
			await putOAuthClient(service, { type: "service" }, machine.id);
			const granted = await addApplication(service, {
				slug: "used-granted",
				redirect_uris: ["https://a.example/"],
			});
			await addApplication(service, { slug: "used-none" });
			const site = await addApplication(service, { slug: "used-gate" });
			await addGate(service, { browser_origin: "https://site.example" }, site.id);
			await addGate(service, {}, (await addApplication(service, { slug: "used-api" })).id);
			for (const id of ids.slice(0, 2)) await putGrant(service, granted.id, id);
			for (const members of [ids.slice(1), ids.slice(2)])
				await putGroupGrant(service, granted.id, (await addGroup(service, members)).id);
			for (let count = 0; count < 2; count++) await addApiClient(service, { app_id: granted.id });
			const usages = async (token: string, query: Query = "?q=used&include=usage") =>
				(await list(token, query)).data.map(({ usage }) => usage);
			const none = { users: 0, api_clients: 0 };
			const all = [
				{ sign_in: "none", ...none },
				{ sign_in: "gate", ...none },
				{ sign_in: "none", ...none },
				{ sign_in: "none", users: 3, api_clients: 2 },
				{ sign_in: "none", ...none },
				{ sign_in: "openid", ...none },
			];
			assert.deepEqual(await usages(cast.admin), all);
			assert.deepEqual(await usages(cast.reviewer.token), all);
			assert.deepEqual(await usages(cast.plain.token), [undefined, undefined]);
			assert.deepEqual(await usages(cast.admin, "?q=used-none"), [undefined]);
			assert.deepEqual(await usages(cast.admin, "?q=absent&include=usage"), []);
		});

		it("lists with rotatable=true those whose OAuth client has a secret", async () => {
			const add = (slug: string) =>
				addApplication(service, { slug, access_policy: "open", redirect_uris: ["https://a.example/"] });
			await putOAuthClient(service, { type: "web" }, (await add("secret-web")).id);
			await putOAuthClient(service, { type: "service" }, (await add("secret-service")).id);
			await putOAuthClient(service, { type: "spa" }, (await add("secret-spa")).id);
			await add("secret-none");
			const query = "?q=secret-&rotatable=true";
			assert.deepEqual(await slugs(cast.admin, query), ["secret-service", "secret-web"]);
			assert.equal((await slugs(cast.plain.token, query)).length, 4);
			assert.deepEqual(await slugs(cast.other.adminToken, query), []);
		});

		it("counts at most 1,000 users and API clients", async () => {
			const { id, tenant_id } = await addApplication(service, { slug: "crowded" });
			await using engine = await service.openDatabase();
			await addManyUsers(engine, 1_001);
			await engine.transaction(async (queries) => {
				await queries.run(
					`INSERT INTO grants (id, tenant_id, app_id, user_id, created_at, updated_at)
					 SELECT 'crowd-' || id, tenant_id, $1, id, 1, 1 FROM users WHERE id LIKE 'person-%'`,
					id,
				);
				const group = await queries.one<{ id: string }>(
					"SELECT id FROM user_groups WHERE tenant_id = $1",
					tenant_id,
				);
				await queries.run(
					`INSERT INTO group_members (group_id, user_id, tenant_id, added_at)
					 SELECT CAST($1 AS TEXT), id, tenant_id, 1 FROM users WHERE id LIKE 'person-9%'`,
					group?.id ?? "",
				);
				await queries.run(
					"INSERT INTO group_grants (id, tenant_id, app_id, group_id, created_at, updated_at) VALUES ('crowd', $1, $2, $3, 1, 1)",
					tenant_id,
					id,
					group?.id ?? "",
				);
			});
			const [crowded] = (await list(cast.admin, "?q=crowded&include=usage")).data;
			assert.deepEqual(crowded?.usage, { sign_in: "none", users: 1_000, api_clients: 0 });
		});

		it("finds the applications that the approval of an access request created", async () => {
			const { id: requestId } = await submitApproved(service);
			await submitApproved(service, { app_id: (await addApplication(service, { slug: "existing" })).id });
			const made = (await list(cast.auditor.token, "?from_access_request=true")).data;
			assert.deepEqual(
				made.map((application) => application.access_request_id),
				[requestId],
			);
			const others = await list(cast.admin, "?from_access_request=false&page_size=100");
			assert.equal(others.total, (await list(cast.admin)).total - 1);
			assert.ok(others.data.every((application) => application.access_request_id === null));
			for (const query of ["true", "false"] as const)
				assert.deepEqual(
					await list(cast.plain.token, `?from_access_request=${query}`),
					await list(cast.plain.token),
				);
			assert.ok(
				(await list(cast.plain.token)).data.every((application) => !("access_request_id" in application)),
			);
		});

		it("shows administrators, and no other user, when a user last signed in to an application", async () => {
			const { id } = await addApplication(service, { slug: "signed-in", access_policy: "open" });
			const timesFor = async (token: string) =>
				(await list(token, "?q=signed-in")).data.map((application) => application.last_sign_in_at);
			assert.deepEqual(await timesFor(cast.admin), [null]);
			const at = new Date(service.clock.now()).toISOString();
			const body = { username: ADMIN.username, password: ADMIN.password, app_id: id };
			assert.equal((await service.call("POST", "/api/v1/auth/login", { body })).status, 200);
			await until("the sign-in is recorded", async () => (await timesFor(cast.admin))[0] !== null);
			assert.ok(((await timesFor(cast.admin))[0] ?? "") >= at);
			assert.deepEqual(await timesFor(cast.plain.token), [undefined]);
		});

		it("filters by status, and searches literally in name and slug", async () => {
			await addApplication(service, { name: "100% süre_thing", slug: "certain" });
			await addApplication(service, { name: "100 percent sure thing", slug: "fairly", status: "disabled" });
			assert.deepEqual(await slugs(cast.admin, "?q=100%25"), ["certain"]);
			assert.deepEqual(await slugs(cast.admin, "?q=sure_"), ["certain"]);
			assert.deepEqual(await slugs(cast.admin, "?q=CERT"), ["certain"]);
			assert.deepEqual(await slugs(cast.admin, "?q=sure&status=active"), ["certain"]);
			assert.deepEqual(await slugs(cast.admin, "?q=sure&status=disabled"), ["fairly"]);
		});
	});
});

describe("POST /api/v1/applications", () => {
	const create = (body: unknown, token = cast.admin) => service.call("POST", APPLICATIONS, { token, body });

	describe("201", () => {
		it("creates an application without grants from just a name, and audits it", async () => {
			const { status, body } = await create({ name: "  Order Desk  " });
			assert.equal(status, 201);
			const { id, tenant_id, created_at, updated_at, ...rest } = body.data;
			assert.deepEqual(rest, {
				kind: "application",
				name: "Order Desk",
				slug: "order-desk",
				description: "",
				homepage_url: "",
				logo_url: "",
				redirect_uris: [],
				access_policy: "assigned",
				status: "active",
				require_mfa: false,
				last_sign_in_at: null,
				access_request_id: null,
				requestable: null,
				support_sessions: false,
				managed_by: null,
			});
			assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7/);
			assert.match(tenant_id, /^[0-9a-f-]{36}$/);
			assert.equal(created_at, updated_at);
			const audit = await auditOf(service, `application:${id}`);
			assert.deepEqual(
				audit.map(({ action, details }) => [action, details]),
				[
					[
						"application.created",
						{ name: "Order Desk", slug: "order-desk", access_policy: "assigned", status: "active" },
					],
				],
			);
			assert.match(audit[0]?.actor ?? "", /^user:/);
		});

		it("accepts every field, and ignores server-assigned fields", async () => {
			const fields = {
				name: "Everything",
				slug: "every-thing-2",
				description: "All of it.",
				homepage_url: "https://every.example/",
				logo_url: "https://every.example/logo.png",
				redirect_uris: ["https://every.example/cb?x=%2f", "http://localhost:3000/cb"],
				access_policy: "open",
				status: "disabled",
				require_mfa: true,
			};
			const { status, body } = await create({
				...fields,
				id: ABSENT_ID,
				tenant_id: cast.other.id,
				created_at: "2001-01-01T00:00:00Z",
				updated_at: "2001-01-01T00:00:00Z",
			});
			assert.equal(status, 201);
			const { id, tenant_id, created_at, updated_at: _, ...rest } = body.data;
			assert.deepEqual(rest, {
				kind: "application",
				access_request_id: null,
				requestable: null,
				last_sign_in_at: null,
				support_sessions: false,
				managed_by: null,
				...fields,
			});
			assert.notEqual(id, ABSENT_ID);
			assert.notEqual(tenant_id, cast.other.id);
			assert.ok(created_at > "2020");
		});

		it("accepts each field at its limit", async () => {
			const uri = (length: number, index = 0) => `https://a.example/${index}/`.padEnd(length, "x");
			for (const body of [
				{ name: "😀".repeat(199).concat("a") },
				{ name: "Max slug", slug: "s".repeat(64) },
				{ name: "Max text", description: "d".repeat(2000) },
				{ name: "Max url", homepage_url: uri(2048) },
				{ name: "Max uri", redirect_uris: [uri(2048)] },
				{ name: "Max uris", redirect_uris: Array.from({ length: 20 }, (_, index) => uri(100, index)) },
			]) {
				const response = await create(body);
				assert.equal(response.status, 201, JSON.stringify(response.body));
			}
		});

		it("generates a free slug for a name that is taken or has no ASCII", async () => {
			const slugs: string[] = [];
			for (const name of ["Twin", "Twin", "twin!", "商店", "商店"]) {
				const { status, body } = await create({ name });
				assert.equal(status, 201);
				slugs.push(body.data.slug);
			}
			assert.equal(new Set(slugs).size, 5);
			assert.equal(slugs[0], "twin");
			assert.match(slugs[1] ?? "", /^twin-[0-9a-f]{8}$/);
			assert.match(slugs[4] ?? "", /^app-[0-9a-f]{8}$/);
		});

		it("generates different slugs for twenty concurrent requests with one name", async () => {
			const responses = await Promise.all(Array.from({ length: 20 }, () => create({ name: "Crowd" })));
			assert.ok(responses.every(({ status }) => status === 201));
			assert.equal(new Set(responses.map(({ body }) => body.data.slug)).size, 20);
		});

		it("allows another tenant the same slug", async () => {
			await create({ name: "Shared", slug: "shared" });
			const response = await create({ name: "Shared", slug: "shared" }, cast.other.adminToken);
			assert.deepEqual([response.status, response.body.data.tenant_id], [201, cast.other.id]);
		});
	});

	describe("400", () => {
		it("names each missing or invalid field", async () => {
			for (const [body, field] of [
				[{ name: "X", redirect_uris: ["http://a.example/"] }, "redirect_uris.0"],
				[{ name: "X", redirect_uris: ["https://a.example/#x"] }, "redirect_uris.0"],
				[{ name: "X", redirect_uris: ["https://a.example/", " https://a.example/ "] }, "redirect_uris.1"],
			] as const) {
				const { status, code, fields } = await problemOf(service, "POST", APPLICATIONS, body);
				assert.deepEqual([status, code, fields], [400, "request.invalid", [field]], JSON.stringify(body));
			}
		});
	});

	describe("409", () => {
		it("returns 409 for a slug that is taken", async () => {
			await addApplication(service, { slug: "taken" });
			const { status, code, fields } = await problemOf(service, "POST", APPLICATIONS, {
				name: "X",
				slug: "taken",
			});
			assert.deepEqual([status, code, fields], [409, "application.slug_taken", ["slug"]]);
		});

		it("accepts one of twenty concurrent requests with one slug", async () => {
			const body = { name: "Race", slug: "race" };
			const responses = await Promise.all(Array.from({ length: 20 }, () => create(body)));
			assert.deepEqual(responses.map(({ status }) => status).toSorted(), [
				201,
				...Array.from({ length: 19 }, () => 409),
			]);
		});
	});
});

describe("GET /api/v1/applications/{id}", () => {
	const application = fixture(() => addApplication(service, { slug: "one", access_policy: "open" }));

	describe("200", () => {
		it("returns the record to admins and auditors, for the id in either case", async () => {
			for (const [token, path] of [
				[cast.admin, application.id],
				[cast.auditor.token, application.id.toUpperCase()],
			]) {
				const response = await service.call("GET", `${APPLICATIONS}/${path}`, { token: token as string });
				assert.deepEqual(
					[response.status, response.body.data.id, response.body.data.slug],
					[200, application.id, "one"],
				);
			}
		});

		it("says whether it has an OAuth client and a gate", async () => {
			const read = async () => {
				const { has_oauth_client, has_gate } = await service.asAdmin(
					"GET",
					`${APPLICATIONS}/${application.id.toUpperCase()}`,
				);
				return [has_oauth_client, has_gate];
			};
			assert.deepEqual(await read(), [false, false]);
			await putOAuthClient(service, { type: "service" }, application.id);
			assert.deepEqual(await read(), [true, false]);
			await addGate(service, { rules: [] }, application.id);
			assert.deepEqual(await read(), [true, true]);
		});
	});
});

describe("PATCH /api/v1/applications/{id}", () => {
	const application = fixture(() => addApplication(service));

	const path = (appId = application.id) => `${APPLICATIONS}/${appId}` as const;
	const patch = (body: unknown, appId = application.id) =>
		service.callAsAdmin("PATCH", path(appId), { body });

	describe("200", () => {
		it("changes the given fields and keeps the others", async () => {
			const before = await addApplication(service, { description: "old" });
			const changes = {
				name: "New name",
				slug: "new-slug",
				homepage_url: "https://new.example/",
				logo_url: "https://new.example/logo.png",
				redirect_uris: ["https://new.example/cb"],
				access_policy: "open",
				status: "disabled",
				require_mfa: true,
			};
			service.clock.advance(1_000);
			const { status, body } = await patch(changes, before.id);
			assert.equal(status, 200);
			const { updated_at, ...after } = body.data;
			const { updated_at: old, ...expected } = { ...before, ...changes };
			assert.deepEqual(after, expected);
			assert.ok(updated_at > old);
			const stored = await service.callAsAdmin("GET", path(before.id));
			assert.deepEqual(stored.body.data, { ...body.data, has_oauth_client: false, has_gate: false });
			assert.deepEqual((await auditOf(service, `application:${before.id}`)).at(-1)?.details, {
				fields: Object.keys(changes),
				status: "disabled",
				access_policy: "open",
				redirect_uris: ["https://new.example/cb"],
				require_mfa: true,
			});
		});

		it("clears optional fields", async () => {
			const app = await addApplication(service, {
				description: "x",
				homepage_url: "https://a.example/",
				redirect_uris: ["https://a.example/"],
			});
			const { body } = await patch({ description: "", homepage_url: "", redirect_uris: [] }, app.id);
			const { description, homepage_url, redirect_uris } = body.data;
			assert.deepEqual([description, homepage_url, redirect_uris], ["", "", []]);
		});

		it("writes nothing if nothing changes, and ignores server-assigned fields", async () => {
			const before = await addApplication(service);
			service.clock.advance(1_000);
			for (const body of [
				{},
				undefined,
				{ name: before.name, slug: before.slug, redirect_uris: [] },
				{ id: ABSENT_ID, tenant_id: cast.other.id, created_at: "2001-01-01T00:00:00Z" },
			]) {
				const response = await patch(body, before.id);
				assert.deepEqual([response.status, response.body.data], [200, before]);
			}
			assert.equal((await auditOf(service, `application:${before.id}`)).length, 1);
		});
	});

	describe("400", () => {
		it("names the invalid field", async () => {
			const body = { redirect_uris: ["ftp://a.example/"] };
			const { status, fields } = await problemOf(service, "PATCH", path(), body);
			assert.deepEqual([status, fields], [400, ["redirect_uris.0"]]);
		});
	});

	describe("409", () => {
		it("returns 409 for a slug that is taken, and applies no part of the patch", async () => {
			await addApplication(service, { slug: "occupied" });
			const app = await addApplication(service);
			const { status, code } = await problemOf(service, "PATCH", path(app.id), {
				name: "Other",
				slug: "occupied",
			});
			assert.deepEqual([status, code], [409, "application.slug_taken"]);
			const stored = await service.callAsAdmin("GET", path(app.id));
			assert.deepEqual(stored.body.data, { ...app, has_oauth_client: false, has_gate: false });
		});
	});
});

describe("DELETE /api/v1/applications/{id}", () => {
	describe("204", () => {
		it("deletes roles, grants and API clients with the application, and audits their numbers", async () => {
			const app = await addApplication(service, { name: "Doomed", slug: "doomed" });
			const kept = await addApiClient(service);
			await addRole(service, app.id, "a");
			await addRole(service, app.id, "b");
			await putGrant(service, app.id, cast.plain.id, ["a"]);
			const client = await addApiClient(service, { app_id: app.id });

			const response = await service.callAsAdmin("DELETE", `${APPLICATIONS}/${app.id}`);
			assert.deepEqual([response.status, response.body], [204, undefined]);
			const get = async (path: string) => (await service.callAsAdmin("GET", path)).status;
			assert.equal(await get(`${APPLICATIONS}/${app.id}`), 404);
			assert.equal(await get(`${APPLICATIONS}/${app.id}/roles`), 404);
			assert.equal(await get(`${APPLICATIONS}/${app.id}/grants`), 404);
			assert.equal(await get(`${API_CLIENTS}/${client.id}`), 404);
			assert.equal(await get(`${API_CLIENTS}/${kept.id}`), 200);
			assert.deepEqual((await auditOf(service, `application:${app.id}`)).at(-1), {
				...(await auditOf(service, `application:${app.id}`))[0],
				action: "application.deleted",
				details: { name: "Doomed", slug: "doomed", roles: 2, grants: 1, api_clients: 1 },
			});
		});

		it("releases the slug", async () => {
			const app = await addApplication(service, { slug: "again" });
			await service.asAdmin("DELETE", `${APPLICATIONS}/${app.id}`);
			assert.notEqual((await addApplication(service, { slug: "again" })).id, app.id);
		});
	});

	describe("404", () => {
		it("returns 404 to all but one of twenty concurrent requests, and writes one audit entry", async () => {
			const app = await addApplication(service);
			const path = `${APPLICATIONS}/${app.id}`;
			const responses = await Promise.all(
				Array.from({ length: 20 }, () => service.callAsAdmin("DELETE", path)),
			);
			assert.equal(responses.filter(({ status }) => status === 204).length, 1);
			assert.equal(responses.filter(({ status }) => status === 404).length, 19);
			assert.equal((await auditOf(service, `application:${app.id}`)).length, 2);
		});
	});

	describe("409", () => {
		it("is returned for a program, which is removed under /programs", async () => {
			const id = await addProgram(service);
			const { status, code } = await problemOf(service, "DELETE", `/api/v1/applications/${id}`);
			assert.deepEqual([status, code], [409, "application.is_program"]);
		});
	});
});
