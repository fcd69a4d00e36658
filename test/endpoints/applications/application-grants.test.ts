// Grants of an application to users and groups.

import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import {
	ABSENT_ID,
	APPLICATIONS,
	addApiClient,
	addApplication,
	addCast,
	addRole,
	problemOf,
	putGrant,
} from "../../harness/access/applications.ts";
import { addGroup, putGroupGrant } from "../../harness/access/groups.ts";
import { putOAuthClient } from "../../harness/openid/oauth-clients.ts";
import { addPerson, auditOf, lastAuditOf, type Person } from "../../harness/people/people.ts";
import { fixture, testService } from "../../harness/runs/fixture.ts";

const service = testService();
const cast = fixture(() => addCast(service));
/** The terms of a grant without a limit or a use. */
const UNTIL_FURTHER_NOTICE = { expires_at: null, reason: "", request_id: null, last_used_at: null };
const adminId = async () => (await service.asAdmin("GET", "/api/v1/users/me")).id;

describe("GET /api/v1/applications/{id}/grants", () => {
	const application = fixture(() => addApplication(service));

	const path = (id = application.id) => `${APPLICATIONS}/${id}/grants` as const;

	describe("200", () => {
		it("returns the grants with their roles in pages, newest first, to admins and auditors", async () => {
			await addRole(service, application.id, "viewer");
			await addRole(service, application.id, "editor");
			const first = await putGrant(service, application.id, cast.plain.id, ["viewer", "editor"]);
			const second = await putGrant(service, application.id, cast.reviewer.id);
			const third = await putGrant(service, application.id, cast.auditor.id, ["viewer"]);
			await putGrant(service, (await addApplication(service)).id, cast.plain.id);
			assert.deepEqual(first.roles, ["editor", "viewer"]);
			const named = [
				{ ...third, username: "auditor", display_name: "" },
				{ ...second, username: "reviewer", display_name: "" },
				{ ...first, username: "plain", display_name: "" },
			];
			for (const token of [cast.admin, cast.auditor.token]) {
				const { status, body } = await service.call("GET", path(), { token });
				assert.deepEqual([status, body.total, body.data], [200, 3, named]);
			}
			const { body } = await service.callAsAdmin("GET", `${path()}?page=2&page_size=2`);
			assert.deepEqual(body, { data: [named[2]], total: 3, page: 2, page_size: 2 });
		});

		it("finds users and groups by a part of their names, and by kind", async () => {
			const { id: ownId } = await addApplication(service);
			const token = cast.admin;
			const { id: personId } = await addPerson(service, "o_brien", { display_name: "Ödd%Näme" });
			await putGrant(service, ownId, personId);
			await putGrant(service, ownId, cast.plain.id);
			const group = await addGroup(service, [], { name: "Pläin people" });
			const held = await putGroupGrant(service, ownId, group.id);
			const find = async (query: string) => {
				const { body } = await service.call("GET", `${path(ownId)}?${query}`, { token });
				return body.data.map(({ username, group_name }) => username ?? group_name);
			};
			assert.deepEqual(await find("q=PLAIN"), ["Pläin people", "plain"]);
			assert.deepEqual(await find("q=d%25n"), ["o_brien"]);
			assert.deepEqual(await find("q=%25"), ["o_brien"]);
			assert.deepEqual(await find("kind=group"), ["Pläin people"]);
			assert.deepEqual(await find("kind=user&q=plain"), ["plain"]);
			const { body } = await service.call("GET", `${path(ownId)}?kind=group`, { token });
			assert.deepEqual(body.data, [{ ...held, group_name: "Pläin people" }]);
		});
	});
});

describe("PUT /api/v1/applications/{id}/grants/users/{user_id}", () => {
	let userId: string;
	const application = fixture(() => addApplication(service));
	before(async () => {
		userId = cast.plain.id;
		for (const name of ["viewer", "editor"]) await addRole(service, application.id, name);
	});

	const path = (app = application.id, user = userId) =>
		`${APPLICATIONS}/${app}/grants/users/${user}` as const;
	const put = (body: unknown, app = application.id, user = userId) =>
		service.callAsAdmin("PUT", path(app, user), { body });
	const auditedGrants = async (user: string, app: string) =>
		(await auditOf(service, `user:${user}`))
			.filter(({ action, details }) => action.startsWith("grant.") && details.app_id === app)
			.map(({ action, details }) => [action, details.roles]);

	describe("200", () => {
		it("grants, replaces the roles, and changes nothing the second time", async () => {
			const app = (await addApplication(service)).id;
			const role = await addRole(service, app, "editor");
			await addRole(service, app, "Admin");

			const bare = await put(undefined, app);
			assert.equal(bare.status, 201);
			const { id, created_at, updated_at, granted_at, granted_by, ...rest } = bare.body.data;
			assert.deepEqual(rest, { app_id: app, user_id: userId, roles: [], ...UNTIL_FURTHER_NOTICE });
			assert.deepEqual([granted_at, granted_by], [created_at, await adminId()]);
			assert.equal(created_at, updated_at);

			service.clock.advance(1_000);
			const named = await put({ roles: ["editor", "Admin", role.id.toUpperCase(), " editor "] }, app);
			assert.deepEqual([named.status, named.body.data.id], [200, id]);
			assert.deepEqual(named.body.data.roles, ["Admin", "editor"]);
			assert.equal(named.body.data.created_at, created_at);
			assert.ok(named.body.data.updated_at > updated_at);

			service.clock.advance(1_000);
			assert.deepEqual((await put({ roles: [role.id, "Admin"] }, app)).body, named.body);
			assert.deepEqual((await put({ roles: [] }, app)).body.data.roles, []);
			assert.deepEqual((await put({}, app)).body.data.roles, []);
			assert.deepEqual(await auditedGrants(userId, app), [
				["grant.created", []],
				["grant.updated", ["Admin", "editor"]],
				["grant.updated", []],
			]);
		});

		it("stores one grant for concurrent requests", async () => {
			const app = (await addApplication(service)).id;
			for (const name of ["a", "b"]) await addRole(service, app, name);
			const sets = Array.from({ length: 21 }, (_, index) => [["a"], ["b"], ["a", "b"]][index % 3]);
			const responses = await Promise.all(sets.map((roles) => put({ roles }, app)));
			assert.deepEqual(
				responses.map(({ status }) => status).toSorted((a, b) => b - a),
				[201, ...responses.slice(1).map(() => 200)],
			);
			assert.equal(new Set(responses.map(({ body }) => body.data.id)).size, 1);
			for (const [index, { body }] of responses.entries()) assert.deepEqual(body.data.roles, sets[index]);
			const list = await service.callAsAdmin("GET", `${APPLICATIONS}/${app}/grants`);
			assert.equal(list.body.total, 1);
			const created = (await auditedGrants(userId, app)).filter(([action]) => action === "grant.created");
			assert.equal(created.length, 1);
		});

		it("accepts the maximum number of roles", async () => {
			const app = (await addApplication(service)).id;
			const names = Array.from({ length: 100 }, (_, index) => `role-${String(index).padStart(3, "0")}`);
			for (const name of names) await addRole(service, app, name);
			assert.deepEqual((await putGrant(service, app, userId, names)).roles, names);
		});
	});

	describe("400", () => {
		it("names each role that the application does not have", async () => {
			const elsewhere = (await addApplication(service)).id;
			const foreign = await addRole(service, elsewhere, "foreign");
			for (const [body, fields] of [
				[{ roles: ["viewer", "nobody", "Editor"] }, ["roles.1", "roles.2"]],
				[{ roles: [foreign.id] }, ["roles.0"]],
				[{ roles: ["foreign"] }, ["roles.0"]],
				[{ roles: [ABSENT_ID] }, ["roles.0"]],
			] as const) {
				const problem = await problemOf(service, "PUT", path(), body);
				assert.deepEqual([problem.status, problem.fields], [400, fields], JSON.stringify(body));
			}
			const list = await service.callAsAdmin("GET", `${APPLICATIONS}/${application.id}/grants`);
			assert.equal(list.body.total, 0);
		});
	});
});

describe("DELETE /api/v1/applications/{id}/grants/users/{user_id}", () => {
	const app = fixture(() => addApplication(service));
	const user = fixture(() => addPerson(service, "loses-grant"));
	before(async () => {
		await addRole(service, app.id, "viewer");
	});

	const path = (userId = user.id) => `${APPLICATIONS}/${app.id}/grants/users/${userId}` as const;
	const remove = () => service.callAsAdmin("DELETE", path());

	describe("204", () => {
		it("removes the user's access to the application, and audits it", async () => {
			await putGrant(service, app.id, user.id, ["viewer"]);
			const seen = async (): Promise<number> =>
				(await service.call("GET", APPLICATIONS, { token: user.token })).body.total;
			assert.equal(await seen(), 1);
			const response = await remove();
			assert.deepEqual([response.status, response.body], [204, undefined]);
			assert.equal(await seen(), 0);
			const audit = (await auditOf(service, `user:${user.id}`)).at(-1);
			assert.deepEqual([audit?.action, audit?.details.app_id], ["grant.removed", app.id]);
		});
	});

	describe("404", () => {
		it("returns 404 for a user without a grant, and to all but one of twenty concurrent requests", async () => {
			const { status, code } = await problemOf(service, "DELETE", path(cast.auditor.id));
			assert.deepEqual([status, code], [404, "grant.not_found"]);
			await putGrant(service, app.id, user.id);
			const responses = await Promise.all(Array.from({ length: 20 }, remove));
			assert.equal(responses.filter(({ status }) => status === 204).length, 1);
			assert.equal(responses.filter(({ status }) => status === 404).length, 19);
		});
	});
});

describe("PUT /api/v1/applications/{id}/grants/groups/{group_id}", () => {
	const application = fixture(() => addApplication(service));
	const group = fixture(() => addGroup(service, [cast.plain.id]));
	before(async () => {
		for (const name of ["viewer", "editor"]) await addRole(service, application.id, name, [`orders:${name}`]);
	});

	const path = (app = application.id) => `${APPLICATIONS}/${app}/grants/groups/${group.id}` as const;
	const put = (body: unknown, app = application.id) => service.callAsAdmin("PUT", path(app), { body });

	describe("200", () => {
		it("grants, replaces the roles, changes nothing the second time, and audits it", async () => {
			const { id: app, name: app_name } = await addApplication(service);
			const role = await addRole(service, app, "editor");
			const bare = await put(undefined, app);
			assert.equal(bare.status, 201);
			const { id, created_at, updated_at, granted_at: _, granted_by: __, ...rest } = bare.body.data;
			assert.deepEqual(rest, { app_id: app, group_id: group.id, roles: [], ...UNTIL_FURTHER_NOTICE });
			assert.equal(created_at, updated_at);
			service.clock.advance(1_000);
			const named = await put({ roles: ["editor", role.id.toUpperCase()] }, app);
			assert.deepEqual(
				[named.body.data.id, named.body.data.roles, named.body.data.created_at],
				[id, ["editor"], created_at],
			);
			assert.deepEqual((await put({ roles: [role.id] }, app)).body, named.body);
			const stored = { app_id: app, app_name, grant_id: id, expires_at: null };
			const audit = (await auditOf(service, `group:${group.id}`)).filter(
				({ details }) => details.app_id === app,
			);
			assert.deepEqual(
				audit.map(({ action, details }) => [action, details]),
				[
					["grant.created", { ...stored, roles: [], role_ids: [] }],
					["grant.updated", { ...stored, roles: ["editor"], role_ids: [role.id] }],
				],
			);
		});

		it("lists the grant of the group and the grant of its member", async () => {
			const app = (await addApplication(service)).id;
			const own = await putGrant(service, app, cast.plain.id);
			const byGroup = await putGroupGrant(service, app, group.id);
			const { body } = await service.callAsAdmin("GET", `${APPLICATIONS}/${app}/grants`);
			const [first, second] = body.data;
			assert.deepEqual(
				[body.total, first, second],
				[2, { ...byGroup, group_name: first?.group_name }, { ...own, username: "plain", display_name: "" }],
			);
			assert.match(first?.group_name ?? "", /^Group \d+$/);
			assert.deepEqual(Object.keys(own).includes("group_id"), false);
			assert.deepEqual(Object.keys(byGroup).includes("user_id"), false);
		});

		it("stores one grant for concurrent requests", async () => {
			const app = (await addApplication(service)).id;
			const responses = await Promise.all(Array.from({ length: 20 }, () => put({}, app)));
			assert.deepEqual(
				responses.map(({ status }) => status).toSorted((a, b) => b - a),
				[201, ...responses.slice(1).map(() => 200)],
			);
			assert.equal(new Set(responses.map(({ body }) => body.data.id)).size, 1);
		});
	});

	describe("400", () => {
		it("names each role that the application does not have", async () => {
			const { status, fields } = await problemOf(service, "PUT", path(), { roles: ["viewer", "absent"] });
			assert.deepEqual([status, fields], [400, ["roles.1"]]);
		});
	});
});

describe("DELETE /api/v1/applications/{id}/grants/groups/{group_id}", () => {
	let appId: string;
	let appName: string;
	let groupId: string;
	let roleId: string;
	let member: Person;
	before(async () => {
		({ id: appId, name: appName } = await addApplication(service));
		member = await addPerson(service, "loses-group-grant");
		groupId = (await addGroup(service, [member.id])).id;
		roleId = (await addRole(service, appId, "viewer", ["orders:viewer"])).id;
	});

	const path = (group = groupId) => `${APPLICATIONS}/${appId}/grants/groups/${group}` as const;

	describe("204", () => {
		it("removes the members' access to the application, and audits it", async () => {
			const grant = await putGroupGrant(service, appId, groupId, ["viewer"]);
			const seen = async (): Promise<number> =>
				(await service.call("GET", APPLICATIONS, { token: member.token })).body.total;
			assert.equal(await seen(), 1);
			const response = await service.callAsAdmin("DELETE", path());
			assert.deepEqual([response.status, response.body], [204, undefined]);
			assert.equal(await seen(), 0);
			assert.deepEqual(await lastAuditOf(service, `group:${groupId}`), [
				"grant.removed",
				{
					app_id: appId,
					app_name: appName,
					grant_id: grant.id,
					roles: ["viewer"],
					role_ids: [roleId],
					expires_at: null,
				},
			]);
		});
	});
});

describe("PUT /api/v1/applications/{id}/grants/api-clients/{client_id}", () => {
	describe("201", () => {
		it("grants roles to an API client of the application, lists the grant, and audits it", async () => {
			const { id } = await addApplication(service);
			await addRole(service, id, "reader", ["orders:read"]);
			const client = await addApiClient(service, { app_id: id, name: "Partner" });
			const path = `${APPLICATIONS}/${id}/grants/api-clients/${client.id}` as const;
			const put = (body: object) => service.callAsAdmin("PUT", path, { body });
			const { status, body } = await put({ roles: ["reader"] });
			assert.deepEqual([status, body.data.api_client_id, body.data.roles], [201, client.id, ["reader"]]);
			assert.deepEqual((await put({ roles: ["reader"] })).body, body);
			const listed = await service.callAsAdmin(
				"GET",
				`${APPLICATIONS}/${id}/grants?kind=api_client&q=partner`,
			);
			assert.deepEqual(listed.body.data, [{ ...body.data, api_client_name: "Partner" }]);
			const events = await auditOf(service, `api_client:${client.id}`);
			assert.deepEqual(
				events.filter(({ action }) => action.startsWith("grant.")).map(({ details }) => details.roles),
				[["reader"]],
			);
		});
	});

	describe("400", () => {
		it("names a role that the application does not have", async () => {
			const client = await addApiClient(service);
			const path = `${APPLICATIONS}/${client.app_id}/grants/api-clients/${client.id}`;
			const { status, fields } = await problemOf(service, "PUT", path, { roles: ["none"] });
			assert.deepEqual([status, fields], [400, ["roles.0"]]);
		});
	});
});

describe("DELETE /api/v1/applications/{id}/grants/api-clients/{client_id}", () => {
	const pathOf = ({ app_id, id }: { app_id: string; id: string }) =>
		`${APPLICATIONS}/${app_id}/grants/api-clients/${id}` as const;

	describe("204", () => {
		it("removes the grant", async () => {
			const client = await addApiClient(service);
			await service.asAdmin("PUT", pathOf(client), {});
			assert.equal((await service.callAsAdmin("DELETE", pathOf(client))).status, 204);
		});
	});
});

describe("PUT /api/v1/applications/{id}/grants/programs/{application_id}", () => {
	describe("201", () => {
		it("grants roles to an application with an OAuth client", async () => {
			const { id } = await addApplication(service);
			await addRole(service, id, "reader", ["orders:read"]);
			const program = await addApplication(service, { name: "Nightly export" });
			await putOAuthClient(service, { type: "service" }, program.id);
			const path = `${APPLICATIONS}/${id}/grants/programs/${program.id}` as const;
			const { status, body } = await service.callAsAdmin("PUT", path, { body: { roles: ["reader"] } });
			assert.deepEqual([status, body.data.program_id, body.data.roles], [201, program.id, ["reader"]]);
			const listed = await service.callAsAdmin("GET", `${APPLICATIONS}/${id}/grants`);
			assert.deepEqual(listed.body.data, [{ ...body.data, program_name: "Nightly export" }]);
		});
	});

	describe("400", () => {
		it("names a role that the application does not have", async () => {
			const { client_id } = await putOAuthClient(service, { type: "service" });
			const path = `${APPLICATIONS}/${(await addApplication(service)).id}/grants/programs/${client_id}`;
			const { status, fields } = await problemOf(service, "PUT", path, { roles: ["none"] });
			assert.deepEqual([status, fields], [400, ["roles.0"]]);
		});
	});
});

describe("DELETE /api/v1/applications/{id}/grants/programs/{application_id}", () => {
	describe("204", () => {
		it("removes the grant, even after the OAuth client was deleted", async () => {
			const [{ id }, program] = [await addApplication(service), await addApplication(service)];
			await putOAuthClient(service, { type: "service" }, program.id);
			const path = `${APPLICATIONS}/${id}/grants/programs/${program.id}` as const;
			await service.asAdmin("PUT", path, {});
			await service.asAdmin("DELETE", `${APPLICATIONS}/${program.id}/oauth-client`);
			assert.equal((await service.callAsAdmin("DELETE", path)).status, 204);
		});
	});
});
