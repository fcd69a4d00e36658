// The directory (SCIM) of an identity provider, as administrators manage it.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ABSENT_ID, addApplication, addCast, addRole, problemOf } from "../harness/access/applications.ts";
import { auditOf, lastAuditOf } from "../harness/people/people.ts";
import { addDirectory } from "../harness/providers/directories.ts";
import { addProvider, IDENTITY_PROVIDERS } from "../harness/providers/identity-providers.ts";
import { fixture, testService } from "../harness/runs/fixture.ts";

const service = testService();
const cast = fixture(() => addCast(service));
const directory = fixture(() => addDirectory(service));
const pathOf = (id: string) => `${IDENTITY_PROVIDERS}/${id}/directory` as const;

describe("PUT /api/v1/identity-providers/{id}/directory", () => {
	describe("201", () => {
		it("creates the directory and shows its token once", async () => {
			const { id } = await addProvider(service);
			const app = await addApplication(service);
			await addRole(service, app.id, "reader");
			const body = {
				on_remove: "delete",
				domains: ["Corp.example"],
				group_prefix: "corp-",
				default_grants: [{ app_id: app.id, roles: ["reader"] }],
			};
			const response = await service.callAsAdmin(
				"PUT",
				pathOf(id) as "/api/v1/identity-providers/{id}/directory",
				{ body },
			);
			assert.equal(response.status, 201, JSON.stringify(response.body));
			assert.equal(response.headers["cache-control"], "no-store");
			const { token = "", token_hint, created_at: _c, updated_at: _u, ...rest } = response.body.data;
			assert.match(token, /^lks_[A-Za-z0-9_-]{43}$/);
			assert.equal(token.slice(-4), token_hint);
			assert.deepEqual(rest, {
				...body,
				domains: ["corp.example"],
				adopt: "off",
				client_id: null,
				url: `https://localhost:8443/scim/v2/${id}`,
				previous_token_expires_at: null,
				people: 0,
				groups: 0,
			});
			const [event] = await auditOf(service, `directory:${id}`);
			assert.deepEqual([event?.action, event?.details.on_remove], ["directory.created", "delete"]);
			assert.doesNotMatch(JSON.stringify(event), /lks_/);
			await using engine = await service.openDatabase();
			const [row] = await engine.queries.all<{ text: string }>(
				"SELECT token_digest AS text FROM directories WHERE issuer_id = $1",
				id,
			);
			assert.ok(row !== undefined && !token.includes(row.text));
		});
	});

	describe("200", () => {
		it("replaces the settings without another token, and writes nothing if nothing changes", async () => {
			const { id } = await addProvider(service);
			const put = (body: object) =>
				service.callAsAdmin("PUT", pathOf(id) as "/api/v1/identity-providers/{id}/directory", { body });
			await put({ on_remove: "disable", group_prefix: "x-" });
			const changed = await put({ on_remove: "delete" });
			const { on_remove, group_prefix } = changed.body.data;
			assert.deepEqual([changed.status, on_remove, group_prefix], [200, "delete", ""]);
			assert.equal("token" in changed.body.data, false);
			await put({ on_remove: "delete" });
			const events = await auditOf(service, `directory:${id}`);
			assert.deepEqual(events.map(({ action }) => action).sort(), ["directory.created", "directory.updated"]);
		});
	});

	describe("400", () => {
		it("names unknown applications, roles, and clients", async () => {
			const { id } = await addProvider(service);
			const app = await addApplication(service);
			const refused = async (fields: object) =>
				(await problemOf(service, "PUT", pathOf(id), { on_remove: "disable", ...fields })).fields;
			const grants = (app_id: string, roles: string[] = []) => ({ default_grants: [{ app_id, roles }] });
			assert.deepEqual(await refused(grants(ABSENT_ID)), ["default_grants.0.app_id"]);
			assert.deepEqual(await refused(grants(app.id, ["none"])), ["default_grants.0.roles.0"]);
			const twice = { default_grants: [...grants(app.id).default_grants, ...grants(app.id).default_grants] };
			assert.deepEqual(await refused(twice), ["default_grants.1.app_id"]);
			assert.deepEqual(await refused({ client_id: app.id }), ["client_id"]);
			assert.deepEqual(await refused({ domains: ["no domain"] }), ["domains.0"]);
		});
	});
});

describe("GET /api/v1/identity-providers/{id}/directory", () => {
	describe("200", () => {
		it("returns the directory without its token", async () => {
			await directory.person("counted@corp.example");
			const { status, body } = await service.call(
				"GET",
				pathOf(directory.issuerId) as "/api/v1/identity-providers/{id}/directory",
				{ token: cast.auditor.token },
			);
			assert.deepEqual([status, body.data.people, body.data.groups], [200, 1, 0]);
			assert.equal("token" in body.data, false);
		});
	});
});

describe("DELETE /api/v1/identity-providers/{id}/directory", () => {
	describe("204", () => {
		it("leaves people and groups", async () => {
			const own = await addDirectory(service);
			const { id } = await own.person("left@corp.example");
			const group = await own.group("Left", [id]);
			await service.asAdmin("DELETE", pathOf(own.issuerId) as "/api/v1/identity-providers/{id}/directory");
			const members = await service.asAdmin("GET", `/api/v1/groups/${group.id}/members`);
			assert.deepEqual(
				(members as unknown as { user_id: string }[]).map(({ user_id }) => user_id),
				[id],
			);
			assert.deepEqual(await lastAuditOf(service, `directory:${own.issuerId}`), [
				"directory.deleted",
				{ people: 1, groups: 1 },
			]);
		});
	});
});

describe("POST /api/v1/identity-providers/{id}/directory/rotate-token", () => {
	describe("200", () => {
		it("keeps the old token for the overlap, and only it", async () => {
			const own = await addDirectory(service);
			const rotate = async (overlap_seconds?: number) =>
				service.asAdmin(
					"POST",
					`${pathOf(own.issuerId)}/rotate-token` as "/api/v1/identity-providers/{id}/directory/rotate-token",
					overlap_seconds === undefined ? {} : { overlap_seconds },
				);
			const second = (await rotate(60)).token ?? "";
			const statusOf = async (token: string) => (await own.scim("GET", "Users", undefined, token)).status;
			assert.deepEqual([await statusOf(own.token), await statusOf(second)], [200, 200]);
			service.clock.advance(61_000);
			assert.deepEqual([await statusOf(own.token), await statusOf(second)], [401, 200]);
			const third = (await rotate()).token ?? "";
			assert.deepEqual([await statusOf(second), await statusOf(third)], [401, 200]);
		});
	});
});

describe("GET /api/v1/identity-providers/{id}/directory/events", () => {
	describe("200", () => {
		it("lists what was sent and returned, without passwords, and loses it with the person", async () => {
			const own = await addDirectory(service, { on_remove: "delete" });
			const { id } = await own.person("seen@corp.example", { password: "never stored 1" });
			await own.scim("GET", 'Users?filter=userName%20eq%20"nobody@corp.example"');
			await own.patch(`Users/${id}`, { op: "replace", path: "active", value: "maybe" });
			const path = `${pathOf(own.issuerId)}/events` as "/api/v1/identity-providers/{id}/directory/events";
			const list = async () => (await service.call("GET", path, { token: cast.auditor.token })).body.data;
			const waitFor = async (count: number) => {
				for (;;) {
					const events = await list();
					if (events.length === count) return events;
					await new Promise((resolve) => setTimeout(resolve, 100));
				}
			};
			const events = await waitFor(3);
			const [patched, searched, created] = events;
			assert.deepEqual([patched?.method, patched?.status, patched?.user_id], ["PATCH", 400, id]);
			assert.match(patched?.detail ?? "", /active must be true or false/);
			assert.equal(searched?.path, 'Users?filter=userName eq "…"');
			assert.deepEqual([created?.status, created?.user_id], [201, id]);
			assert.match(created?.sent ?? "", /seen@corp\.example/);
			assert.match(created?.answered ?? "", new RegExp(id));
			assert.doesNotMatch(JSON.stringify(events), /never stored|lks_/);
			assert.equal((await own.scim("DELETE", `Users/${id}`)).status, 204);
			const left = await waitFor(2);
			assert.ok(left.every(({ user_id }) => user_id === null));
		});
	});
});
