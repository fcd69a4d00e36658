// What an audit event changed is restored, by the endpoint that makes the change alone.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { submitApproved } from "../harness/access/access-requests.ts";
import {
	addApiClient,
	addApplication,
	addRole,
	problemOf,
	putGrant,
} from "../harness/access/applications.ts";
import { addGroup } from "../harness/access/groups.ts";
import { addPerson } from "../harness/people/people.ts";
import { testService } from "../harness/runs/fixture.ts";
import { addWebhook } from "../harness/webhooks/webhooks.ts";

const EVENTS = "/api/v1/audit-events" as const;
const service = testService();

type Change = {
	readonly method: "POST" | "PATCH" | "PUT" | "DELETE";
	readonly path: string;
	readonly body?: unknown;
};
const change = async ({ method, path, body }: Change) => {
	const { status } = await service.callAsAdmin(method, path, { body });
	assert.ok([200, 201, 204].includes(status), `${method} ${path}: ${status}`);
};
const newest = async (query: string) => {
	const { body } = await service.callAsAdmin("GET", `${EVENTS}?page_size=1&${query}`);
	return body.data[0] ?? assert.fail(`no event with ${query}`);
};
const restore = async (id: string, body: object = {}) => {
	return await service.asAdmin("POST", `${EVENTS}/${id}/restore`, body);
};
const refusalOf = async (id: string, body: object = {}) => {
	const { status, code, fields } = await problemOf(service, "POST", `${EVENTS}/${id}/restore`, body);
	return [status, code, ...fields];
};
const isIntact = async () => {
	const { data } = (await service.callAsAdmin("GET", `${EVENTS}/chain`)).body;
	assert.equal(data.broken_at, null);
};

/** An application with the roles `editor` and `viewer`, and a person who was `editor` and is `viewer`. */
async function demoted() {
	const { id: appId, name } = await addApplication(service);
	for (const role of ["viewer", "editor"]) await addRole(service, appId, role, [`${role}:all`]);
	const person = await addPerson(service, `demoted-${appId.slice(-8)}`);
	await putGrant(service, appId, person.id, ["editor"]);
	await putGrant(service, appId, person.id, ["viewer"]);
	const event = await newest(`action=grant.updated&target=user:${person.id}`);
	const path = `/api/v1/applications/${appId}/grants/users/${person.id}`;
	const rolesNow = async (): Promise<readonly string[] | undefined> => {
		const grants = await service.callAsAdmin("GET", `/api/v1/users/${person.id}/grants`);
		return grants.body.data[0]?.roles;
	};
	return { appId, name, person, event, path, rolesNow };
}

describe("POST /api/v1/audit-events/{id}/restore", () => {
	describe("200", () => {
		it("previews the former roles of a person, restores them with a note, and then has nothing to restore", async () => {
			const { appId, name, person, event, rolesNow } = await demoted();
			const changes = { roles: { from: ["viewer"], to: ["editor"] } };
			const before = (await newest("")).id;
			const preview = await restore(event.id, { dry_run: true });
			assert.deepEqual([preview.event_id, preview.changes, preview.changed_since], [null, changes, []]);
			assert.deepEqual([await rolesNow(), (await newest("")).id], [["viewer"], before]);
			const restored = await restore(event.id, { note: "Demoted by mistake" });
			assert.deepEqual(restored.changes, changes);
			assert.deepEqual(await rolesNow(), ["editor"]);
			const written = await newest("");
			assert.equal(written.id, restored.event_id);
			assert.deepEqual([written.action, written.target], ["grant.updated", `user:${person.id}`]);
			assert.deepEqual(written.changes, changes);
			const { restores, note, app_id, app_name } = written.details;
			assert.deepEqual([restores, note, app_id, app_name], [event.id, "Demoted by mistake", appId, name]);
			assert.deepEqual(await service.asAdmin("GET", `${EVENTS}?id=${written.id}`), [written]);
			const again = await restore(event.id);
			assert.deepEqual([again.event_id, again.changes, again.changed_since], [null, {}, []]);
			assert.equal((await newest("")).id, written.id);
			assert.deepEqual((await restore(written.id)).changes, { roles: { from: ["editor"], to: ["viewer"] } });
			await change({ method: "DELETE", path: `/api/v1/users/${person.id}` });
			const { details } = await newest(`id=${written.id}`);
			assert.deepEqual([details.restores, details.note], [event.id, undefined]);
			assert.deepEqual(await refusalOf(event.id), [409, "audit_event.not_recorded", "roles"]);
			await isIntact();
		});

		it("restores removed access with its end and reason, and takes back given access", async () => {
			const { id: appId } = await addApplication(service);
			const role = await addRole(service, appId, "editor");
			const { id: groupId } = await addGroup(service);
			const path = `/api/v1/applications/${appId}/grants/groups/${groupId}`;
			const terms = { roles: ["editor"], expires_at: "2030-01-01T00:00:00.000Z", reason: "Stocktaking" };
			await change({ method: "PUT", path, body: terms });
			await change({ method: "DELETE", path });
			const removed = await newest(`action=grant.removed&target=group:${groupId}`);
			assert.deepEqual([removed.details.roles, removed.details.role_ids], [["editor"], [role.id]]);
			assert.deepEqual((await restore(removed.id)).changes, {
				roles: { from: null, to: ["editor"] },
				expires_at: { from: null, to: terms.expires_at },
				reason: { from: null, to: "Stocktaking" },
			});
			const list = async () => await service.asAdmin("GET", `/api/v1/groups/${groupId}/grants`);
			const [grant] = await list();
			assert.deepEqual([grant?.roles, grant?.expires_at, grant?.reason], Object.values(terms));
			const created = await newest(`action=grant.created&target=group:${groupId}`);
			assert.equal(created.details.restores, removed.id);
			assert.deepEqual((await restore(created.id)).changes.roles, { from: ["editor"], to: null });
			assert.deepEqual(await list(), []);
			assert.equal(
				(await newest(`action=grant.removed&target=group:${groupId}`)).details.restores,
				created.id,
			);
		});

		it("restores a role, the settings of clients, and the rules of a gate", async () => {
			const { id: appId } = await addApplication(service);
			const { id: roleId } = await addRole(service, appId, "reader", ["orders:read", "orders:*"]);
			const client = await addApiClient(service, { app_id: appId, ip_allowlist: ["10.0.0.0/8"] });
			const of = `/api/v1/applications/${appId}`;
			const rules = [
				{ methods: ["GET", "POST"], path: "/orders/{id}", needs: "orders:read", mfa: true, test: false },
				{ path: "/*", needs: "signed-in", test: true },
			];
			await change({ method: "PUT", path: `${of}/gate`, body: { rules, accept: ["person"] } });
			await change({ method: "PUT", path: `${of}/oauth-client`, body: { type: "web", first_party: true } });
			const cases: readonly (readonly [string, string, Change, unknown])[] = [
				[
					`application_role:${roleId}`,
					`${of}/roles`,
					{ method: "PATCH", path: `${of}/roles/${roleId}`, body: { name: "writer", permissions: [] } },
					{ name: "reader", permissions: ["orders:read", "orders:*"] },
				],
				[
					`api_client:${client.id}`,
					`/api/v1/api-clients/${client.id}`,
					{
						method: "PATCH",
						path: `/api/v1/api-clients/${client.id}`,
						body: { ip_allowlist: [], status: "disabled", expires_at: "2031-01-01T00:00:00.000Z" },
					},
					{ ip_allowlist: ["10.0.0.0/8"], status: "active", expires_at: null },
				],
				[
					`oauth_client:${appId}`,
					`${of}/oauth-client`,
					{
						method: "PATCH",
						path: `${of}/oauth-client`,
						body: { pkce: "optional", first_party: false, resource: "https://orders.example" },
					},
					{ pkce: "required", first_party: true, resource: null },
				],
				[
					`gate:${appId}`,
					`${of}/gate`,
					{ method: "PUT", path: `${of}/gate`, body: { rules: [] } },
					{ rules, accept: ["person"] },
				],
			];
			for (const [target, path, changed, expected] of cases) {
				await change(changed);
				const event = await newest(`target=${target}`);
				const restored = await restore(event.id, { note: "Back" });
				assert.deepEqual(Object.keys(restored.changes).sort(), Object.keys(event.changes).sort(), target);
				const { data } = (await service.callAsAdmin<{ data: unknown }>("GET", path)).body;
				const record = (Array.isArray(data) ? data[0] : data) as Record<string, unknown>;
				for (const [field, value] of Object.entries(expected as object))
					assert.deepEqual(record[field], value, `${target} ${field}`);
				const written = await newest(`target=${target}`);
				assert.deepEqual([written.id, written.details.restores], [restored.event_id, event.id]);
				assert.deepEqual((await restore(event.id)).changes, {}, target);
			}
			await isIntact();
		});

		it("leaves an unclaimed client to its claim", async () => {
			const { api_client_id: id } = await submitApproved(service);
			const path = `/api/v1/api-clients/${id}` as const;
			await change({ method: "PATCH", path, body: { status: "disabled", ip_allowlist: ["10.0.0.0/8"] } });
			const disabled = await newest(`target=api_client:${id}`);
			await change({ method: "PATCH", path, body: { status: "active" } });
			assert.deepEqual(Object.keys((await restore(disabled.id)).changes), ["ip_allowlist"]);
			const { data } = (await service.callAsAdmin("GET", path)).body;
			assert.deepEqual([data.status, data.ip_allowlist], ["unclaimed", []]);
			await change({ method: "PATCH", path, body: { status: "disabled" } });
			await restore((await newest(`target=api_client:${id}`)).id);
			const again = await service.callAsAdmin("GET", path);
			assert.equal(again.body.data.status, "unclaimed");
		});

		it("sends the webhook of the change, without the note", async () => {
			const { event } = await demoted();
			const webhook = await addWebhook(service, { event_types: ["grant.updated"] });
			const { event_id } = await restore(event.id, { note: "Secret note" });
			const path = `/api/v1/webhooks/${webhook.id}/deliveries` as const;
			const { data } = (await service.callAsAdmin("GET", path)).body;
			assert.deepEqual(
				data.map(({ event_type }) => event_type),
				["grant.updated"],
			);
			assert.equal(data[0]?.id, event_id);
			const sent = await service.callAsAdmin("GET", `${path}/${event_id}`);
			assert.equal(sent.status, 200);
			assert.doesNotMatch(JSON.stringify(sent.body), /Secret note|restores/);
		});

		it("makes one change of many that are sent at once", async () => {
			const { event, person } = await demoted();
			const all = await Promise.all(Array.from({ length: 10 }, () => restore(event.id)));
			assert.equal(all.filter(({ event_id }) => event_id !== null).length, 1);
			const query = `${EVENTS}?action=grant.updated&target=user:${person.id}` as const;
			assert.equal((await service.callAsAdmin("GET", query)).body.total, 2);
		});
	});

	describe("409", () => {
		it("shows what changed since, and restores it only if the preview of it is confirmed", async () => {
			const { appId, event, person, rolesNow } = await demoted();
			await putGrant(service, appId, person.id, []);
			const changedSince = [409, "audit_event.changed_since", "roles"];
			assert.deepEqual(await refusalOf(event.id), changedSince);
			const preview = await restore(event.id, { dry_run: true });
			assert.deepEqual(preview.changes, { roles: { from: [], to: ["editor"] } });
			assert.deepEqual(preview.changed_since, ["roles"]);
			await putGrant(service, appId, person.id, ["editor", "viewer"]);
			assert.deepEqual(await refusalOf(event.id, { expect: preview.digest }), changedSince);
			assert.deepEqual(await rolesNow(), ["editor", "viewer"]);
			const { digest } = await restore(event.id, { dry_run: true });
			await restore(event.id, { expect: digest });
			assert.deepEqual(await rolesNow(), ["editor"]);
		});

		it("restores nothing of an event of which the trail lacks a value", async () => {
			const { id: appId } = await addApplication(service);
			const role = await addRole(service, appId, "reader", ["a:read"]);
			const path = `/api/v1/applications/${appId}/roles/${role.id}`;
			const described = [{ permission: "a:read", en: "Read", zh: "读取" }];
			await change({ method: "PATCH", path, body: { permission_descriptions: described } });
			await change({ method: "PATCH", path, body: { permissions: [], name: "nobody" } });
			const unnamed = await newest(`target=application_role:${role.id}`);
			assert.deepEqual(await refusalOf(unnamed.id), [
				409,
				"audit_event.not_recorded",
				"permission_descriptions",
			]);
			const permissions = Array.from({ length: 21 }, (_, index) => `p${index}:read`);
			const long = await addRole(service, appId, "long", permissions);
			const longPath = `/api/v1/applications/${appId}/roles/${long.id}`;
			await change({ method: "PATCH", path: longPath, body: { permissions: [], description: "Short" } });
			const cut = await newest(`target=application_role:${long.id}`);
			assert.deepEqual(await refusalOf(cut.id, { dry_run: true }), [
				409,
				"audit_event.not_recorded",
				"permissions",
			]);
			const claims = [{ name: "tier", from: "constant", value: "gold" }];
			await change({
				method: "PUT",
				path: `/api/v1/applications/${appId}/oauth-client`,
				body: { type: "web", claims },
			});
			await change({
				method: "PATCH",
				path: `/api/v1/applications/${appId}/oauth-client`,
				body: { claims: [] },
			});
			const lossy = await newest(`target=oauth_client:${appId}`);
			assert.deepEqual(await refusalOf(lossy.id), [409, "audit_event.not_recorded", "claims"]);
			const { data } = (await service.callAsAdmin("GET", `/api/v1/applications/${appId}/roles`)).body;
			assert.deepEqual(data.map(({ name }) => name).sort(), ["long", "nobody"]);
		});

		it("refuses events of other changes", async () => {
			for (const action of ["user.created", "application.created", "user.signed_in"])
				assert.deepEqual(await refusalOf((await newest(`action=${action}`)).id), [
					409,
					"audit_event.not_restorable",
				]);
		});
	});

	describe("refusals of the endpoint that makes the change", () => {
		it("are those of the restoration, and of its preview", async () => {
			const { appId, event, path } = await demoted();
			const { body } = await service.callAsAdmin("GET", `/api/v1/applications/${appId}/roles`);
			const editor = body.data.find(({ name }) => name === "editor")?.id;
			await change({ method: "DELETE", path: `/api/v1/applications/${appId}/roles/${editor}` });
			for (const dry_run of [true, false])
				assert.deepEqual(await refusalOf(event.id, { dry_run }), [400, "request.invalid", "roles.0"]);
			await change({ method: "DELETE", path });
			assert.deepEqual(await refusalOf(event.id), [404, "grant.not_found"]);
			await change({ method: "DELETE", path: `/api/v1/applications/${appId}` });
			assert.deepEqual(await refusalOf(event.id), [404, "grant.not_found"]);
		});

		it("name what was removed since, and what others have taken", async () => {
			const { id: appId } = await addApplication(service);
			const { id: otherId } = await addApplication(service);
			const of = `/api/v1/applications/${appId}`;
			const { id: roleId } = await addRole(service, appId, "reader");
			const person = await addPerson(service, `gone-${appId.slice(-8)}`);
			const { id: groupId } = await addGroup(service);
			const { id: clientId } = await addApiClient(service, { app_id: appId, ip_allowlist: ["10.0.0.0/8"] });
			const [origin, resource] = [`https://${appId}.example`, `https://api-${appId}.example`];
			const eventOf = async (target: string, ...changes: readonly Change[]) => {
				for (const each of changes) await change(each);
				return (await newest(`target=${target}`)).id;
			};
			const put = (path: string, body: unknown): Change => ({ method: "PUT", path, body });
			const patch = (path: string, body: unknown): Change => ({ method: "PATCH", path, body });
			const remove = (path: string): Change => ({ method: "DELETE", path });
			const grants = { user: `${of}/grants/users/${person.id}`, group: `${of}/grants/groups/${groupId}` };
			const client = `/api/v1/api-clients/${clientId}`;
			const events = {
				role: await eventOf(`application_role:${roleId}`, patch(`${of}/roles/${roleId}`, { name: "writer" })),
				user: await eventOf(`user:${person.id}`, put(grants.user, { roles: [] }), remove(grants.user)),
				group: await eventOf(`group:${groupId}`, put(grants.group, { roles: [] }), remove(grants.group)),
				client: await eventOf(`api_client:${clientId}`, patch(client, { ip_allowlist: [] })),
				gate: await eventOf(
					`gate:${appId}`,
					put(`${of}/gate`, { rules: [], accept: ["person"], browser_origin: origin }),
					put(`${of}/gate`, { rules: [], accept: ["person"] }),
				),
				oauth: await eventOf(
					`oauth_client:${appId}`,
					put(`${of}/oauth-client`, { type: "web", resource }),
					patch(`${of}/oauth-client`, { resource: null }),
				),
			};
			const other = `/api/v1/applications/${otherId}`;
			const steps: readonly (readonly [Change, keyof typeof events, number, string, ...string[]])[] = [
				[
					{ method: "POST", path: `${of}/roles`, body: { name: "reader", permissions: [] } },
					"role",
					409,
					"application_role.name_taken",
				],
				[
					put(`${other}/gate`, { rules: [], accept: ["person"], browser_origin: origin }),
					"gate",
					409,
					"gate.origin_taken",
				],
				[
					put(`${other}/oauth-client`, { type: "web", resource }),
					"oauth",
					409,
					"oauth_client.resource_taken",
				],
				[remove(`${of}/roles/${roleId}`), "role", 404, "application_role.not_found"],
				[remove(`${of}/gate`), "gate", 404, "gate.not_found"],
				[remove(`${of}/oauth-client`), "oauth", 404, "oauth_client.not_found"],
				[remove(client), "client", 404, "api_client.not_found"],
				[remove(`/api/v1/groups/${groupId}`), "group", 404, "group.not_found"],
				[remove(`/api/v1/users/${person.id}`), "user", 404, "user.not_found"],
				[remove(of), "role", 404, "application.not_found"],
			];
			for (const [made, event, ...expected] of steps) {
				await change(made);
				const [status, code] = await refusalOf(events[event]);
				assert.deepEqual([status, code], expected);
			}
			await isIntact();
		});
	});
});
