// Directories (SCIM): recorded cycles of Entra ID and Okta, what ends with a leaver, adoption, and what is out of reach.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { dormantQueries } from "../../src/domain/dormancy.ts";
import { DAY_MS } from "../../src/kernel/clock.ts";
import { ABSENT_ID, addApplication, addRole } from "../harness/access/applications.ts";
import { runRemoval } from "../harness/access/ends.ts";
import { putOAuthClient } from "../harness/openid/oauth-clients.ts";
import { addPerson, auditOf, isAlive } from "../harness/people/people.ts";
import { addSecondTenant } from "../harness/people/second-tenant.ts";
import { addDirectory, directoryOf, GROUP, USER } from "../harness/providers/directories.ts";
import { addProvider } from "../harness/providers/identity-providers.ts";
import { fixture, testService } from "../harness/runs/fixture.ts";
import { openBeside } from "../harness/service/beside-service.ts";

const ENTERPRISE = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User";
const service = testService();
const directory = fixture(() => addDirectory(service));

const asAdmin = async (method: string, path: string, body?: unknown) =>
	service.callAsAdmin<{ data: Record<string, unknown>; error?: string }>(method, path, { body });
const userOf = async (id: string) => (await asAdmin("GET", `/api/v1/users/${id}`)).body.data;

describe("a recorded cycle of Entra ID", () => {
	it("finds no one, creates, updates, disables, restores, and deletes a person", async () => {
		const filter = encodeURIComponent('userName eq "amira@corp.example"');
		const none = await directory.scim("GET", `Users?filter=${filter}`);
		assert.deepEqual([none.status, none.body.totalResults, none.body.Resources], [200, 0, []]);
		assert.match(none.headers["content-type"] ?? "", /^application\/scim\+json/);
		const sent = {
			schemas: [USER, ENTERPRISE],
			externalId: "0a21f0f2-8d2a-4f8e-bf98-7363c4aed4ef",
			userName: "amira@corp.example",
			active: true,
			displayName: "Amira Haddad",
			emails: [{ primary: true, type: "work", value: "Amira@corp.example" }],
			meta: { resourceType: "User" },
			name: { formatted: "Amira Haddad", familyName: "Haddad", givenName: "Amira" },
			roles: [],
			title: "Engineer",
			[ENTERPRISE]: { department: "R&D", manager: "7" },
		};
		const created = await directory.scim("POST", "Users", sent);
		assert.equal(created.status, 201, JSON.stringify(created.body));
		const { id, meta, ...rest } = created.body;
		const { meta: _meta, schemas, ...given } = sent;
		assert.deepEqual({ ...rest, schemas: [...rest.schemas] }, { ...given, schemas });
		assert.equal(meta.location, `https://localhost:8443${directory.base}/Users/${id}`);
		assert.equal(created.headers.location, meta.location);
		const user = await userOf(id);
		assert.deepEqual(
			[user.username, user.email, user.email_verified, user.display_name, user.status],
			["amira", "amira@corp.example", false, "Amira Haddad", "active"],
		);
		assert.equal((await directory.scim("POST", "Users", sent)).body.scimType, "uniqueness");
		const found = await directory.scim("GET", `Users?filter=${filter}&startIndex=1&count=50`);
		assert.deepEqual(
			found.body.Resources.map((each) => each.id),
			[id],
		);

		const updated = await directory.patch(
			`Users/${id}`,
			{ op: "Replace", path: 'emails[type eq "work"].value', value: "amira.haddad@corp.example" },
			{ op: "Add", path: "name.familyName", value: "Saleh" },
			{ op: "Replace", path: "displayName", value: "Amira Saleh" },
		);
		assert.equal(updated.status, 200, JSON.stringify(updated.body));
		assert.deepEqual(
			[(await userOf(id)).email, (await userOf(id)).display_name],
			["amira.haddad@corp.example", "Amira Saleh"],
		);
		const disabled = await directory.patch(`Users/${id}`, { op: "Replace", path: "active", value: "False" });
		assert.deepEqual(
			[disabled.status, disabled.body.active, (await userOf(id)).status],
			[200, false, "disabled"],
		);
		const restored = await directory.patch(`Users/${id}`, { op: "Replace", path: "active", value: "True" });
		assert.deepEqual([restored.body.active, (await userOf(id)).status], [true, "active"]);
		assert.equal((await directory.scim("DELETE", `Users/${id}`)).status, 204);
		assert.equal((await directory.scim("GET", `Users/${id}`)).status, 404);
		assert.equal((await userOf(id)).status, "disabled");
		// A person who comes back is adopted, because the account is still linked.
		const again = await directory.scim("POST", "Users", sent);
		assert.deepEqual([again.status, again.body.id, (await userOf(id)).status], [201, id, "active"]);
		const actions = (await auditOf(service, `user:${id}`)).map(({ action, actor }) => [action, actor]);
		const actor = `directory:${directory.issuerId}`;
		assert.ok(
			actions.every(([, by]) => by === actor),
			JSON.stringify(actions),
		);
		assert.ok(actions.some(([action]) => action === "user.adopted"));
	});

	it("creates a group, adds and removes members, renames, and deletes it", async () => {
		const people = [await directory.person("g1@corp.example"), await directory.person("g2@corp.example")];
		const [first, second] = people.map(({ id }) => id) as [string, string];
		const filter = encodeURIComponent('displayName eq "Builders"');
		assert.equal(
			(await directory.scim("GET", `Groups?excludedAttributes=members&filter=${filter}`)).body.totalResults,
			0,
		);
		const { id } = await directory.group("Builders");
		const members = async () => {
			const { body } = await directory.scim("GET", `Groups/${id}`);
			return (body.members ?? []).map(({ value }) => value).sort();
		};
		await directory.patch(`Groups/${id}`, {
			op: "Add",
			path: "members",
			value: [{ $ref: null, value: first }, { value: second }],
		});
		assert.deepEqual(await members(), [first, second].sort());
		const shown = await directory.scim("GET", `Groups/${id}?excludedAttributes=members`);
		assert.equal(shown.body.members, undefined);
		await directory.patch(`Groups/${id}`, {
			op: "Remove",
			path: "members",
			value: [{ $ref: null, value: first }],
		});
		assert.deepEqual(await members(), [second]);
		const ofMember = encodeURIComponent(`members[value eq "${second}"] and displayName sw "build"`);
		assert.deepEqual(
			(await directory.scim("GET", `Groups?filter=${ofMember}`)).body.Resources.map((each) => each.id),
			[id],
		);
		await directory.patch(`Groups/${id}`, { op: "Replace", path: "displayName", value: "Makers" });
		assert.equal((await asAdmin("GET", `/api/v1/groups/${id}`)).body.data.name, "Makers");
		assert.equal((await directory.scim("DELETE", `Groups/${id}`)).status, 204);
		assert.equal((await asAdmin("GET", `/api/v1/groups/${id}`)).status, 404);
	});
});

describe("a recorded cycle of Okta", () => {
	it("imports, replaces, and deactivates a person, and pushes a group", async () => {
		const own = await addDirectory(service, { group_prefix: "okta-" });
		const sent = {
			schemas: [USER],
			userName: "test.user@okta.local.example",
			name: { givenName: "Test", familyName: "User" },
			emails: [{ primary: true, value: "test.user@okta.local.example", type: "work" }],
			displayName: "Test User",
			locale: "en-US",
			externalId: "00ujl29u0le5T6Aj10h7",
			groups: [],
			password: "1mz050nq",
			active: true,
		};
		const { status, body } = await own.scim("POST", "Users", sent);
		assert.equal(status, 201, JSON.stringify(body));
		assert.equal("password" in body, false);
		const replaced = await own.scim("PUT", `Users/${body.id}`, {
			...sent,
			name: { givenName: "Another" },
			displayName: "Another User",
		});
		assert.deepEqual([replaced.status, (await userOf(body.id)).display_name], [200, "Another User"]);
		const group = await own.group("Sales", [body.id]);
		assert.equal((await asAdmin("GET", `/api/v1/groups/${group.id}`)).body.data.name, "okta-Sales");
		await own.patch(`Groups/${group.id}`, {
			op: "replace",
			value: { id: group.id, displayName: "Sales EU" },
		});
		assert.equal((await asAdmin("GET", `/api/v1/groups/${group.id}`)).body.data.name, "okta-Sales EU");
		const emptied = await own.patch(`Groups/${group.id}`, { op: "replace", path: "members", value: [] });
		assert.deepEqual(emptied.body.members, []);
		const off = await own.patch(`Users/${body.id}`, { op: "replace", value: { active: false } });
		assert.equal(off.body.active, false);
		assert.equal((await own.scim("GET", "Users?filter=active%20eq%20false")).body.totalResults, 1);
	});
});

describe("a membership that is over", () => {
	it("is recorded as ended when the directory adds the person again, and stays with everyone else", async () => {
		const [again, other] = [
			await directory.person("again@corp.example"),
			await directory.person("late@corp.example"),
		];
		const group = await directory.group("Over");
		const tenantId = String((await userOf(again.id)).tenant_id);
		const { db, clock, close } = await openBeside(service);
		await db.transaction(async ({ groups }) => {
			const over = {
				tenantId,
				groupId: group.id,
				addedAtMs: clock() - DAY_MS,
				expiresAtMs: clock() - 60_000,
			};
			for (const { id: userId } of [again, other]) await groups.putMember({ ...over, userId });
		});
		await close();
		const add = { op: "add", path: "members", value: [{ value: again.id }] };
		assert.deepEqual(
			(await directory.patch(`Groups/${group.id}`, add)).body.members?.map(({ value }) => value),
			[again.id],
		);
		const actionsOf = async (id: string) =>
			(await auditOf(service, `user:${id}`))
				.map(({ action }) => action)
				.filter((action) => action.startsWith("group"));
		assert.deepEqual((await actionsOf(again.id)).sort(), ["group.member_expired", "group_member.added"]);
		assert.deepEqual(await actionsOf(other.id), []);
		await runRemoval(service);
		assert.deepEqual(await actionsOf(other.id), ["group.member_expired"]);
	});
});

describe("a leaver", () => {
	it("loses sessions and admin keys with the response, and keeps nothing that acts", async () => {
		const issuer = await addProvider(service);
		const person = await addPerson(service, "leaving");
		await asAdmin("POST", `/api/v1/users/${person.id}/third-party-accounts`, {
			provider: issuer.provider,
			provider_user_id: "leaver-1",
		});
		const { body } = await asAdmin("PUT", `/api/v1/identity-providers/${issuer.id}/directory`, {
			on_remove: "delete",
		});
		const own = directoryOf(service, issuer, String(body.data.token));
		const adopted = await own.person("leaving@corp.example", { externalId: "leaver-1" });
		assert.equal(adopted.id, person.id);
		assert.equal(await isAlive(service, person.token), true);
		await asAdmin("PATCH", `/api/v1/users/${person.id}`, { roles: ["auditor"] });
		assert.equal(
			(await own.patch(`Users/${person.id}`, { op: "Replace", path: "active", value: "False" })).status,
			200,
		);
		assert.equal(await isAlive(service, person.token), false);
		assert.equal((await asAdmin("GET", `/api/v1/users/${person.id}/sessions`)).body.data.length, 0);
		assert.equal((await own.scim("DELETE", `Users/${person.id}`)).status, 204);
		assert.equal((await asAdmin("GET", `/api/v1/users/${person.id}`)).status, 404);
	});

	it("has no way back by a password reset, even if the account was dormant before", async () => {
		const own = await addDirectory(service);
		const { id } = await own.person("dormant@corp.example");
		await own.scim("DELETE", `Users/${id}`);
		const { db, clock, close } = await openBeside(service);
		const tenantId = String((await userOf(id)).tenant_id);
		const [warnedAt, endedAt] = [clock() + 40 * DAY_MS, clock() + 60 * DAY_MS];
		await db.transaction(async ({ users, dormancy }) => {
			await users.update(tenantId, id, { status: "active" }, clock());
			const { toWarn } = dormantQueries(tenantId, 30, warnedAt);
			assert.ok(await dormancy.warn("user", toWarn, id, warnedAt));
			const { toDisable } = dormantQueries(tenantId, 30, endedAt);
			assert.ok(await dormancy.disable("user", toDisable, id, endedAt));
		});
		await close();
		const before = await userOf(id);
		assert.deepEqual([before.status, before.disabled_reason], ["disabled", "dormant"]);
		assert.equal((await own.person("dormant@corp.example", { active: false })).id, id);
		const after = await userOf(id);
		assert.deepEqual([after.status, after.disabled_reason], ["disabled", null]);
	});

	it("stays if it is the last active administrator, and all administrators are mailed once", async () => {
		const tenant = await addSecondTenant(service);
		const own = await addDirectory(service, {}, {}, tenant.adminToken);
		const boss = await own.person("boss@corp.example", {
			emails: [{ value: "boss@corp.example", primary: true }],
		});
		const call = (method: string, path: string, body: unknown) =>
			service.call(method, path as "/", { token: tenant.adminToken, body });
		await call("PATCH", `/api/v1/users/${boss.id}`, { roles: ["admin"] });
		const off = { op: "replace", path: "active", value: false };
		assert.equal((await own.patch(`Users/${boss.id}`, off)).status, 200);
		assert.equal((await own.patch(`Users/${boss.id}`, { ...off, value: true })).status, 200);
		await using engine = await service.openDatabase();
		await engine.queries.run("UPDATE users SET status = 'disabled' WHERE id = $1", tenant.adminId);
		for (const refused of [
			await own.patch(`Users/${boss.id}`, off),
			await own.scim("DELETE", `Users/${boss.id}`),
		])
			assert.deepEqual([refused.status, refused.body.status], [409, "409"]);
		const [mail] = await service.mailsTo("boss@corp.example");
		assert.match(mail?.subject ?? "", /tried to remove the last administrator/);
		assert.equal((await service.mailsTo("boss@corp.example")).length, 1);
	});
});

describe("a person of a directory", () => {
	it("cannot be edited elsewhere: neither by administrators nor by themselves", async () => {
		const { id } = await directory.person("fixed@corp.example");
		for (const body of [
			{ username: "another" },
			{ email: "another@people.example" },
			{ display_name: "Another" },
			{ status: "disabled" },
			{ locale: "zh-CN" },
		]) {
			const { status, body: answer } = await asAdmin("PATCH", `/api/v1/users/${id}`, body);
			assert.equal(status, 409, JSON.stringify([body, answer]));
		}
		assert.equal((await asAdmin("DELETE", `/api/v1/users/${id}`)).status, 409);
		const { data: accounts } = (await asAdmin("GET", `/api/v1/users/${id}/third-party-accounts`))
			.body as never as {
			data: { id: string }[];
		};
		assert.equal(
			(await asAdmin("DELETE", `/api/v1/users/${id}/third-party-accounts/${accounts[0]?.id}`)).status,
			409,
		);
		assert.equal((await asAdmin("PATCH", `/api/v1/users/${id}`, { roles: ["reviewer"] })).status, 200);
	});

	it("gets the default grants, and is free again when the directory is deleted", async () => {
		const app = await addApplication(service);
		await addRole(service, app.id, "reader");
		const own = await addDirectory(service, { default_grants: [{ app_id: app.id, roles: ["reader"] }] });
		const { id } = await own.person("granted@corp.example");
		const grants = (await asAdmin("GET", `/api/v1/applications/${app.id}/grants`)).body.data as never as {
			roles: string[];
		}[];
		assert.deepEqual(
			grants.map(({ roles }) => roles),
			[["reader"]],
		);
		const path = `/api/v1/identity-providers/${own.issuerId}`;
		const inUse = await asAdmin("DELETE", path);
		assert.match(String(inUse.body.error), /directory/);
		assert.equal((await asAdmin("DELETE", `${path}/directory`)).status, 204);
		assert.equal((await own.scim("GET", "Users")).status, 401);
		assert.equal((await asAdmin("PATCH", `/api/v1/users/${id}`, { display_name: "Free" })).status, 200);
	});
});

describe("what is out of reach", () => {
	it("are people and groups of others, and accounts with a system role", async () => {
		const stranger = await addPerson(service, "stranger");
		const other = await addDirectory(service);
		const { id } = await other.person("other@corp.example");
		const foreignGroup = await other.group("Theirs");
		for (const out of [stranger.id, id, ABSENT_ID, "nonsense"]) {
			for (const method of ["GET", "DELETE"])
				assert.equal((await directory.scim(method, `Users/${out}`)).status, 404);
			assert.equal(
				(await directory.patch(`Users/${out}`, { op: "replace", path: "active", value: false })).status,
				404,
			);
		}
		assert.equal((await directory.scim("GET", `Groups/${foreignGroup.id}`)).status, 404);
		const added = await directory.scim("POST", "Groups", {
			schemas: [GROUP],
			displayName: "Mine",
			members: [{ value: id }],
		});
		assert.deepEqual([added.status, added.body.scimType], [400, "invalidValue"]);
		const admin = await addPerson(service, "privileged");
		await asAdmin("PATCH", `/api/v1/users/${admin.id}`, { roles: ["auditor"] });
		const account = { provider: directory.provider, provider_user_id: "privileged-1" };
		await asAdmin("POST", `/api/v1/users/${admin.id}/third-party-accounts`, account);
		const taken = await directory.scim("POST", "Users", {
			schemas: [USER],
			userName: "p@corp.example",
			externalId: "privileged-1",
		});
		assert.deepEqual([taken.status, taken.body.scimType], [409, "uniqueness"]);
		const email = await directory.scim("POST", "Users", {
			schemas: [USER],
			userName: "stranger@corp.example",
			emails: [{ value: stranger.email, primary: true }],
		});
		assert.deepEqual([email.status, email.body.scimType], [409, "uniqueness"]);
	});

	it("is everything of another tenant, with one name in both", async () => {
		const tenant = await addSecondTenant(service);
		const theirs = await addDirectory(service, {}, {}, tenant.adminToken);
		const [mine, other] = [
			await directory.person("same@corp.example"),
			await theirs.person("same@corp.example"),
		];
		assert.notEqual(mine.id, other.id);
		const path = `Users/${other.id}`;
		assert.equal((await directory.scim("GET", path)).status, 404);
		assert.equal(
			(await directory.scim("PUT", path, { schemas: [USER], userName: "x@corp.example" })).status,
			404,
		);
		assert.equal((await directory.scim("DELETE", path)).status, 404);
		for (const token of [theirs.token, await service.adminToken(), "lks_wrong"]) {
			const refused = await directory.scim("GET", "Users", undefined, token);
			assert.deepEqual([refused.status, refused.headers["www-authenticate"]], [401, "Bearer"]);
		}
		const filter = encodeURIComponent('userName eq "same@corp.example"');
		const seen = await theirs.scim("GET", `Users?filter=${filter}`);
		assert.deepEqual(
			seen.body.Resources.map((each) => each.id),
			[other.id],
		);
		assert.equal((await theirs.scim("GET", `Users/${other.id}`)).body.userName, "same@corp.example");
	});
});

describe("a client of a directory", () => {
	it("is accepted with a token for its resource, and with no other", async () => {
		const app = await addApplication(service);
		const client = await putOAuthClient(service, { type: "service" }, app.id);
		const other = await addApplication(service);
		const stranger = await putOAuthClient(service, { type: "service" }, other.id);
		const own = await addDirectory(service, { client_id: app.id });
		const url = `https://localhost:8443${own.base}`;
		const tokenFor = async (
			{ client_id, client_secret }: { client_id: string; client_secret?: string },
			resource: string,
		) => {
			const basic = Buffer.from(`${client_id}:${client_secret}`).toString("base64");
			return await service.call<{ access_token: string; error?: string }>("POST", "/oauth/token", {
				https: true,
				body: new URLSearchParams({ grant_type: "client_credentials", resource }).toString(),
				headers: { authorization: `Basic ${basic}`, "content-type": "application/x-www-form-urlencoded" },
			});
		};
		const { status, body } = await tokenFor(client as never, url);
		assert.equal(status, 200, JSON.stringify(body));
		assert.equal((await own.scim("GET", "Users", undefined, body.access_token)).status, 200);
		assert.equal((await directory.scim("GET", "Users", undefined, body.access_token)).status, 401);
		assert.equal((await tokenFor(stranger as never, url)).body.error, "invalid_target");
		await service.asAdmin("PATCH", `/api/v1/applications/${app.id}`, { status: "disabled" });
		assert.equal((await own.scim("GET", "Users", undefined, body.access_token)).status, 401);
	});
});

describe("members of a group", () => {
	it("stay where a filter is sent with replace, or an empty list with remove", async () => {
		const directory = await addDirectory(service);
		const [one, two] = [await directory.person("member.one"), await directory.person("member.two")];
		const { id } = await directory.group("Members", [one.id, two.id]);
		const replaced = await directory.patch(`Groups/${id}`, {
			op: "replace",
			path: `members[value eq "${one.id}"]`,
			value: [{ value: one.id }],
		});
		assert.deepEqual([replaced.status, replaced.body.scimType], [400, "invalidValue"]);
		await directory.patch(`Groups/${id}`, { op: "remove", path: "members", value: [] });
		for (const value of ['"\\u0000"', "5", "null", '"none"']) {
			const { status } = await directory.patch(`Groups/${id}`, {
				op: "remove",
				path: `members[value eq ${value}]`,
			});
			assert.equal(status, 200, value);
		}
		const { body } = await directory.scim("GET", `Groups/${id}`);
		assert.equal(body.members?.length, 2);
		await directory.patch(`Groups/${id}`, { op: "remove", path: "members" });
		assert.deepEqual((await directory.scim("GET", `Groups/${id}`)).body.members ?? [], []);
	});
});
