// Every update over the wire records old and new values of its fields, and of no other.

import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { addApiClient, addApplication, addRole } from "./harness/access/applications.ts";
import { addGroup, addMember } from "./harness/access/groups.ts";
import { addPerson } from "./harness/people/people.ts";
import { addTenant } from "./harness/people/tenants.ts";
import { addProvider, PROVIDER_SECRET } from "./harness/providers/identity-providers.ts";
import { testService } from "./harness/runs/fixture.ts";
import { addWebhook, PUBLIC_URL } from "./harness/webhooks/webhooks.ts";

type Method = "PATCH" | "PUT" | "DELETE";

describe("audit events of changes", () => {
	const service = testService();
	let token: string;
	before(async () => {
		token = await service.adminToken();
	});

	const request = async (method: Method, path: string, body?: unknown, as = token): Promise<void> => {
		const { status } = await service.call(method, path, { token: as, body });
		assert.ok([200, 201, 204].includes(status), `${method} ${path}: ${status}`);
	};
	const newest = async (query: string) => {
		const response = await service.call("GET", `/api/v1/audit-events?page_size=1&${query}`, { token });
		return response.body.data[0] ?? assert.fail(`no event with ${query}`);
	};

	it("show changes of a user, without password, email address, and picture", async () => {
		const { id } = await addPerson(service, "changed", { roles: ["auditor"] });
		const secret = "correct horse battery staple";
		await request("PATCH", `/api/v1/users/${id}`, {
			username: "renamed",
			display_name: "Ada",
			email: "renamed@people.example",
			avatar_url: "https://people.example/ada.png",
			status: "disabled",
			roles: [],
			password: secret,
		});
		const event = await newest(`target=user:${id}&action=user.updated`);
		const { display_name, ...changes } = event.changes;
		assert.deepEqual(changes, {
			username: { from: "changed", to: "renamed" },
			status: { from: "active", to: "disabled" },
			roles: { from: ["auditor"], to: [] },
		});
		assert.equal((display_name as { to: string }).to, "Ada");
		const { fields } = event.details;
		for (const field of ["email", "avatar_url", "password"]) assert.ok((fields as string[]).includes(field));
		assert.doesNotMatch(JSON.stringify(event), /horse|renamed@|ada\.png/);
		assert.equal(event.target_name, "changed");
		assert.match(event.summary, /^admin changed user changed: username from changed to renamed, /);
	});

	it("show changes of one's own profile", async () => {
		const person = await addPerson(service, "selfmade");
		const body = { locale: "zh-CN", avatar_url: "https://people.example/me.png" };
		await request("PATCH", "/api/v1/users/me", body, person.token);
		const event = await newest("actor_name=selfmade&action=user.updated");
		assert.deepEqual(event.changes, { locale: { from: null, to: "zh-CN" } });
		assert.equal(event.summary, "selfmade changed user selfmade: locale from nothing to zh-CN");
	});

	it("show changes of an application and its role", async () => {
		const { id, name } = await addApplication(service);
		await request("PATCH", `/api/v1/applications/${id}`, {
			status: "disabled",
			redirect_uris: ["https://a.example/"],
		});
		const event = await newest(`target=application:${id}`);
		assert.deepEqual(event.changes, {
			status: { from: "active", to: "disabled" },
			redirect_uris: { from: [], to: ["https://a.example/"] },
		});
		assert.equal(event.target_name, name);
		const role = await addRole(service, id, "reader", ["a:b"]);
		await request("PATCH", `/api/v1/applications/${id}/roles/${role.id}`, {
			name: "viewer",
			permissions: [],
		});
		const changed = await newest(`target=application_role:${role.id}`);
		assert.deepEqual(changed.changes, {
			name: { from: "reader", to: "viewer" },
			permissions: { from: ["a:b"], to: [] },
		});
		assert.equal(
			changed.summary,
			"admin changed role reader: name from reader to viewer, permissions from a:b to nothing",
		);
	});

	it("show changes of an API client, with times in wire form", async () => {
		const { id } = await addApiClient(service, { name: "Billing" });
		const expires_at = "2030-01-01T00:00:00.000Z";
		await request("PATCH", `/api/v1/api-clients/${id}`, { expires_at, ip_allowlist: ["10.0.0.0/8"] });
		assert.deepEqual((await newest("target_name=Billing")).changes, {
			expires_at: { from: null, to: expires_at },
			ip_allowlist: { from: [], to: ["10.0.0.0/8"] },
		});
	});

	it("show the rules of a gate as lines", async () => {
		const { id } = await addApplication(service);
		const gate = `/api/v1/applications/${id}/gate`;
		const rule = { methods: ["GET", "HEAD"], path: "/a/{b}", needs: "signed-in", mfa: true };
		await request("PUT", gate, { rules: [rule] });
		await request("PUT", gate, { rules: [rule, { path: "/*", needs: "public", test: false }] });
		assert.deepEqual((await newest(`target=gate:${id}`)).changes, {
			rules: {
				from: ["GET,HEAD /a/{b} signed-in mfa"],
				to: ["GET,HEAD /a/{b} signed-in mfa", "* /* public test=false"],
			},
		});
	});

	it("show changes of a group and a tenant", async () => {
		const group = await addGroup(service, [], { name: "Readers" });
		await request("PATCH", `/api/v1/groups/${group.id}`, { name: "Writers", description: "who write" });
		assert.deepEqual((await newest("target_name=Readers")).changes, {
			name: { from: "Readers", to: "Writers" },
			description: { from: "", to: "who write" },
		});
		const tenant = await addTenant(service, { name: "Acme" });
		await request("PATCH", `/api/v1/tenants/${tenant.id}`, { require_mfa: true });
		assert.deepEqual((await newest("target_name=Acme")).changes, { require_mfa: { from: false, to: true } });
	});

	it("show changes of an identity provider, without its secret", async () => {
		const { id, provider } = await addProvider(service, { sign_up: false });
		await request("PATCH", `/api/v1/identity-providers/${id}`, {
			display_name: "Renamed",
			client_secret: `${PROVIDER_SECRET}, later`,
		});
		const event = await newest(`target_name=${provider}`);
		assert.deepEqual(event.changes, { display_name: { from: "Provider", to: "Renamed" } });
		assert.doesNotMatch(JSON.stringify(event), /the secret the provider/);
	});

	it("show changes of a webhook, with only the host of its URL", async () => {
		const { id } = await addWebhook(service);
		const url = "https://other.partner.example/path-with-a-secret";
		await request("PATCH", `/api/v1/webhooks/${id}`, { url, status: "disabled" });
		const event = await newest(`target=webhook:${id}`);
		const { host } = new URL(PUBLIC_URL);
		assert.deepEqual(event.changes, {
			status: { from: "active", to: "disabled" },
			host: { from: host, to: "other.partner.example" },
		});
		assert.equal(event.target_name, host);
		assert.doesNotMatch(JSON.stringify(event), /path-with/);
	});

	it("show the roles of a grant, and name its application and its group", async () => {
		const { id: appId } = await addApplication(service, { name: "Wiki" });
		for (const name of ["a", "b", "c"]) await addRole(service, appId, name);
		const { id: userId } = await addPerson(service, "granted");
		const path = `/api/v1/applications/${appId}/grants/users/${userId}`;
		await request("PUT", path, { roles: ["a", "b"] });
		const created = await newest("target_name=granted");
		assert.deepEqual([created.changes, created.summary], [{}, "admin gave user granted access to Wiki"]);
		await request("PUT", path, { roles: ["b", "c"] });
		assert.deepEqual((await newest("target_name=granted")).changes, {
			roles: { from: ["a", "b"], to: ["b", "c"] },
		});
		await request("PUT", path, { roles: [] });
		assert.deepEqual((await newest("target_name=granted")).changes, { roles: { from: ["b", "c"], to: [] } });
		await request("DELETE", path);
		const removed = await newest("target_name=granted");
		assert.equal(removed.summary, "admin removed the access of user granted to Wiki");
		const group = await addGroup(service, [], { name: "Editors" });
		await addMember(service, group.id, userId);
		assert.equal((await newest("target_name=granted")).summary, "admin added user granted to Editors");
		await request("DELETE", `/api/v1/groups/${group.id}/members/${userId}`);
		assert.equal((await newest("target_name=granted")).summary, "admin removed user granted from Editors");
	});

	it("show only the id of a user who is deleted", async () => {
		const { id } = await addPerson(service, "leaver");
		await request("DELETE", `/api/v1/users/${id}`);
		assert.equal((await newest(`target=user:${id}`)).summary, `admin deleted user ${id}`);
	});
});
