// Why a user has access to an application, or not.

import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { named } from "../../src/domain/audit.ts";
import type { AuditAction } from "../../src/domain/audit-action.ts";
import { systemCaller } from "../../src/domain/caller.ts";
import {
	ABSENT_ID,
	APPLICATIONS,
	addApplication,
	addCast,
	addRole,
	problemOf,
	putGrant,
} from "../harness/access/applications.ts";
import { addGroup, GROUPS, putGroupGrant, removeMember } from "../harness/access/groups.ts";
import { fixture, testService } from "../harness/runs/fixture.ts";
import { openBeside } from "../harness/service/beside-service.ts";

const PATH = "/api/v1/access/explain";

const service = testService();
const cast = fixture(() => addCast(service));

describe("POST /api/v1/access/explain", () => {
	let userId: string;
	before(async () => {
		userId = cast.plain.id;
	});

	const explain = async (appId: string, fields: object = {}, token = cast.admin) => {
		const body = { user_id: userId, app_id: appId, ...fields };
		const response = await service.call("POST", PATH, { token, body });
		assert.equal(response.status, 200, JSON.stringify(response.body));
		return response.body.data;
	};
	/** Advances the clock, so that the moments differ. */
	const moment = (): string => {
		const now = service.clock.now();
		service.clock.advance(1_000);
		return new Date(now).toISOString();
	};
	const remove = (path: string) => service.callAsAdmin("DELETE", path);

	describe("200", () => {
		it("names the rule: grant, group, role and permission", async () => {
			const app = await addApplication(service);
			const reader = await addRole(service, app.id, "reader", ["orders:read", "*"]);
			const clerk = await addRole(service, app.id, "clerk", ["orders:*"]);
			const group = await addGroup(service, [userId]);
			const byGroup = await putGroupGrant(service, app.id, group.id, ["clerk"]);
			const own = await putGrant(service, app.id, userId, ["reader"]);
			const { rule, rules, ...rest } = await explain(app.id, { permission: "orders:read" });
			assert.deepEqual(rest, {
				allowed: true,
				reason: "ok",
				user_id: userId,
				app_id: app.id,
				permission: "orders:read",
				at: null,
				roles: ["clerk", "reader"],
				permissions: ["*", "orders:*", "orders:read"],
				needed: [],
				ended: [],
				history: null,
			});
			assert.deepEqual(rules, [
				{
					by: "grant",
					grant_id: own.id,
					group: null,
					role: { id: reader.id, name: "reader" },
					permission: "*",
				},
				{
					by: "grant",
					grant_id: byGroup.id,
					group: { id: group.id, name: group.name },
					role: { id: clerk.id, name: "clerk" },
					permission: "orders:*",
				},
			]);
			assert.deepEqual(rule, rules[0]);
		});

		it("names the open policy, and the grants beside it", async () => {
			const app = await addApplication(service, { access_policy: "open" });
			const open = { by: "open", grant_id: null, group: null, role: null, permission: null };
			assert.deepEqual((await explain(app.id)).rules, [open]);
			const { id } = await putGrant(service, app.id, userId);
			assert.deepEqual((await explain(app.id)).rules, [open, { ...open, by: "grant", grant_id: id }]);
		});

		it("lists what is missing, with the roles that grant it", async () => {
			const app = await addApplication(service, { status: "disabled" });
			await addRole(service, app.id, "writer", ["orders:*"]);
			await addRole(service, app.id, "Admin", ["*"]);
			await addRole(service, app.id, "reader", ["orders:read"]);
			const { rule, rules, reason, needed } = await explain(app.id, { permission: "orders:write" });
			assert.deepEqual([rule, rules, reason], [null, [], "app_disabled"]);
			assert.deepEqual(needed, [
				{ what: "application_active", roles: [] },
				{ what: "grant", roles: [] },
				{ what: "permission", roles: ["Admin", "writer"] },
			]);
		});

		it("returns the same response for absent and foreign users and applications", async () => {
			const app = await addApplication(service, { access_policy: "open" });
			const unknownUser = await explain(app.id, { user_id: ABSENT_ID });
			assert.deepEqual(
				[unknownUser.reason, unknownUser.needed],
				["user_not_found", [{ what: "user_exists", roles: [] }]],
			);
			const nothing = await explain(ABSENT_ID);
			assert.deepEqual(
				[nothing.reason, nothing.needed],
				["app_not_found", [{ what: "application_exists", roles: [] }]],
			);
			assert.equal((await explain(app.id, { user_id: cast.other.adminId })).reason, "user_not_found");
			const theirs = await explain(app.id, {}, cast.other.adminToken);
			assert.deepEqual([theirs.reason, theirs.needed.length], ["user_not_found", 2]);
			const at = moment();
			assert.equal((await explain(app.id, { at })).allowed, true);
			const then = await explain(app.id, { at }, cast.other.adminToken);
			assert.deepEqual([then.reason, then.history], ["user_not_found", { complete: true, missing: [] }]);
		});

		it("decides for a past moment, with the names at that moment", async () => {
			const beginning = moment();
			const app = await addApplication(service);
			const role = await addRole(service, app.id, "reader", ["orders:read"]);
			const group = await addGroup(service, [userId], { name: "Before" });
			const ungranted = moment();
			const grant = await putGroupGrant(service, app.id, group.id, ["reader"]);
			const granted = moment();
			const token = cast.admin;
			await service.call("PATCH", `${GROUPS}/${group.id}`, { token, body: { name: "After" } });
			const roles = `${APPLICATIONS}/${app.id}/roles/${role.id}`;
			await service.call("PATCH", roles, { token, body: { name: "viewer", permissions: ["bills:read"] } });
			const changed = moment();
			await removeMember(service, group.id, userId);
			const left = moment();
			await remove(roles);
			await remove(`${GROUPS}/${group.id}`);
			await remove(`${APPLICATIONS}/${app.id}`);
			const gone = moment();

			const permission = "orders:read";
			const reasons = [];
			for (const at of [beginning, ungranted, granted, changed, left, gone])
				reasons.push((await explain(app.id, { permission, at })).reason);
			assert.deepEqual(reasons, [
				"app_not_found",
				"not_assigned",
				"ok",
				"missing_permission",
				"not_assigned",
				"app_not_found",
			]);
			const then = await explain(app.id, { permission, at: granted });
			assert.deepEqual(
				[then.rule, then.at, then.history],
				[
					{
						by: "grant",
						grant_id: grant.id,
						group: { id: group.id, name: "Before" },
						role: { id: role.id, name: "reader" },
						permission: "orders:read",
					},
					granted,
					{ complete: true, missing: [] },
				],
			);
			assert.deepEqual((await explain(app.id, { at: changed })).roles, ["viewer"]);
		});

		it("reads grants changed under the action's older name, `grant.changed`", async () => {
			const app = await addApplication(service);
			const { id: roleId } = await addRole(service, app.id, "reader", []);
			const { id: grantId } = await putGrant(service, app.id, userId);
			const before = moment();
			await using beside = await openBeside(service);
			await beside.db.transaction(({ audit }) =>
				audit.append(
					systemCaller(app.tenant_id),
					"grant.changed" as string as AuditAction,
					named("user", userId, ""),
					{ app_id: app.id, grant_id: grantId, roles: ["reader"], role_ids: [roleId] },
				),
			);
			const after = moment();
			assert.deepEqual((await explain(app.id, { at: before })).roles, []);
			assert.deepEqual((await explain(app.id, { at: after })).roles, ["reader"]);
		});

		it("covers the first admin since the first start, and applications created by an approval", async () => {
			const me = await service.callAsAdmin("GET", "/api/v1/users/me");
			const fields = { applicant_name: "A", email: "a@a.example", project_name: "P", purpose: "x" };
			const request = await service.call("POST", "/api/v1/access-requests", { body: fields });
			const approve = `/api/v1/requests/${request.body.id}/approve`;
			await service.asAdmin("POST", approve, {});
			const list = await service.callAsAdmin("GET", `${APPLICATIONS}?q=P`);
			const app = list.body.data.find(({ name }) => name === "P");
			assert.ok(app);
			const then = await explain(app.id, { user_id: me.body.data.id, at: moment() });
			assert.deepEqual([then.reason, then.history?.complete], ["not_assigned", true]);
		});

		it("reports the gap in the trail for a user created in another way", async () => {
			const application = await service.call("POST", APPLICATIONS, {
				token: cast.other.adminToken,
				body: { name: "Theirs", access_policy: "open" },
			});
			const question = { user_id: cast.other.adminId, at: moment() };
			const then = await explain(application.body.data.id, question, cast.other.adminToken);
			assert.deepEqual(
				[then.reason, then.history],
				[
					"user_not_found",
					{
						complete: false,
						missing: [`the trail does not record the creation of user:${cast.other.adminId}`],
					},
				],
			);
		});
	});

	describe("400", () => {
		it("names a time in the future", async () => {
			const at = new Date(service.clock.now() + 60_000).toISOString();
			const body = { user_id: ABSENT_ID, app_id: ABSENT_ID, at };
			const { status, fields } = await problemOf(service, "POST", PATH, body);
			assert.deepEqual([status, fields], [400, ["at"]]);
		});
	});
});
