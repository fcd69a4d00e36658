// What admin keys allow, what they never allow, and what revokes them.

import assert from "node:assert/strict";
import { beforeEach, describe, it } from "node:test";
import { randomToken } from "../../src/crypto/random.ts";
import { DAY_MS } from "../../src/kernel/clock.ts";
import { mailedToken } from "../harness/access/access-requests.ts";
import { addApiClient, problemOf } from "../harness/access/applications.ts";
import { type ClientKey, makeClientKey } from "../harness/openid/client-assertion.ts";
import { addIssuer, platformToken, type TokenChanges } from "../harness/openid/workloads.ts";
import {
	ADMIN_KEYS,
	addAdminKey,
	type CreatedKey,
	keyBody,
	statusWith,
} from "../harness/people/admin-keys.ts";
import { addPerson, auditOf, type Person } from "../harness/people/people.ts";
import { moveTo } from "../harness/people/recovery.ts";
import { testService } from "../harness/runs/fixture.ts";
import type { CallResponse } from "../harness/service/service.ts";
import type { Refusal } from "../harness/service/wire-body.ts";

const USERS = "/api/v1/users";
const PROBLEM = { accept: "application/problem+json" };

const service = testService({ env: { LATCHKEY_TRUSTED_PROXIES: "127.0.0.1" } });

let count = 0;
const person = (roles: readonly string[], fields: object = {}): Promise<Person> =>
	addPerson(service, `person${++count}`, { roles, ...fields });

const call = (token: string, method: string, path: string, body?: unknown): Promise<CallResponse<Refusal>> =>
	service.call<Refusal>(method, path, { token, body, headers: PROBLEM });

/** `[status, code]`. */
const outcome = async (...args: Parameters<typeof call>): Promise<[number, string | undefined]> => {
	const { status, body } = await call(...args);
	return [status, body?.code];
};

/** The last log line about a refused request with this key. */
const refusalLine = (id: string): Record<string, unknown> | undefined =>
	service
		.logs()
		.split("\n")
		.filter((line) => line.includes(`"key_id":"${id}"`))
		.map((line) => JSON.parse(line))
		.at(-1);

describe("an admin key", () => {
	it("is recorded as the actor, without an account", async () => {
		const { id, key } = await addAdminKey(service);
		const made = await service.call("POST", "/api/v1/applications", { token: key, body: { name: "By key" } });
		assert.equal(made.status, 201);
		const [event] = await auditOf(service, `application:${made.body.data.id}`);
		assert.equal(event?.actor, `key:${id}`);
		const body = { app_id: made.body.data.id, name: "Client by key" };
		const client = await service.call("POST", "/api/v1/api-clients", { token: key, body });
		assert.deepEqual([client.status, client.body.data.created_by], [201, null]);
	});

	it("sees every application, regardless of its creator's access", async () => {
		const { app_id } = await addApiClient(service);
		const { key } = await addAdminKey(service, { roles: ["reviewer"] });
		const response = await service.call("GET", "/api/v1/applications?page_size=100", { token: key });
		assert.ok(response.body.data.some(({ id }) => id === app_id));
	});

	it("is refused for fields of a user that only a person may set", async () => {
		const { key } = await addAdminKey(service);
		const { id, email } = await person([]);
		for (const fields of [
			{ password: "a password that a key chose" },
			{ email: "elsewhere@people.example" },
			{ email },
			{ email_verified: true },
			{ roles: ["admin"] },
			{ roles: [], display_name: "Named" },
		])
			assert.deepEqual(
				await outcome(key, "PATCH", `${USERS}/${id}`, fields),
				[403, "admin_key.not_allowed"],
				JSON.stringify(fields),
			);
		assert.deepEqual(await auditOf(service, `user:${id}`).then((events) => events.map((e) => e.action)), [
			"user.created",
			"user.signed_in",
		]);
		assert.deepEqual(await outcome(key, "PATCH", `${USERS}/${id}`, { status: "disabled" }), [200, undefined]);
	});

	it("invites users without a role, and never sets their password", async () => {
		const { id: keyId, key } = await addAdminKey(service);
		const names = (name: string) => ({ username: name, email: `${name}@people.example` });
		for (const fields of [
			{ password: "a password that a key chose" },
			{ invite: true, roles: ["admin"] },
			{ invite: true, roles: [] },
			{ invite: true, email_verified: true },
		])
			assert.deepEqual(
				await outcome(key, "POST", USERS, { ...names("chosen"), ...fields }),
				[403, "admin_key.not_allowed"],
				JSON.stringify(fields),
			);
		const invited = await service.call("POST", USERS, {
			token: key,
			body: { ...names("asked"), display_name: "Asked", invite: true },
		});
		assert.deepEqual([invited.status, invited.body.data.status], [201, "invited"]);
		const { id, email } = invited.body.data;
		assert.deepEqual(await outcome(key, "POST", `${USERS}/${id}/invite`), [202, undefined]);
		const token = await mailedToken(service, email, "invite", 2);
		const body = { token, password: "a long and winding password" };
		const accepted = await service.call("POST", "/api/v1/auth/invite/accept", { body });
		assert.equal(accepted.status, 200);
		const actors = (await auditOf(service, `user:${id}`)).map(({ action, actor }) => `${action} ${actor}`);
		assert.deepEqual(actors.slice(0, 3), [
			`user.created key:${keyId}`,
			`user.invited key:${keyId}`,
			`user.invited key:${keyId}`,
		]);
	});

	it("renames a tenant, but cannot change its second factor requirement", async () => {
		const { key } = await addAdminKey(service, { roles: ["platform_admin"] });
		const { body } = await service.call("GET", "/api/v1/tenants", { token: key });
		const tenant = `/api/v1/tenants/${body.data[0]?.id}`;
		for (const require_mfa of [false, true])
			assert.deepEqual(await outcome(key, "PATCH", tenant, { require_mfa, name: "Renamed" }), [
				403,
				"admin_key.not_allowed",
			]);
		assert.deepEqual(await outcome(key, "PATCH", tenant, { name: "Renamed" }), [200, undefined]);
	});

	it("works only from IP addresses on its allowlist, even behind a trusted proxy", async () => {
		const { key } = await addAdminKey(service, { ip_allowlist: ["198.51.100.0/24"] });
		const from = (ip: string) =>
			service.call<Refusal>("GET", USERS, { token: key, headers: { ...PROBLEM, "x-forwarded-for": ip } });
		assert.equal((await from("198.51.100.9")).status, 200);
		const refused = await from("203.0.113.9");
		assert.deepEqual([refused.status, refused.body.code], [403, "ip.not_allowed"]);
		assert.match(refused.body.detail, /203\.0\.113\.9/);
	});

	it("records when and from where it was used", async () => {
		const used = await addAdminKey(service);
		const at = service.clock.now();
		assert.equal(await statusWith(service, used), 200);
		const find = async () => {
			const { body } = await service.callAsAdmin("GET", `${ADMIN_KEYS}?page_size=100`);
			return body.data.find(({ id }) => id === used.id);
		};
		const deadline = Date.now() + 30_000;
		let seen = await find();
		while (seen?.last_used_at === null && Date.now() < deadline) {
			await new Promise((resolve) => setTimeout(resolve, 50));
			seen = await find();
		}
		assert.ok(Date.parse(String(seen?.last_used_at)) >= at);
		assert.equal(seen?.last_used_ip, "127.0.0.1");
	});
});

describe("an admin key of workloads", () => {
	const PLATFORM = "https://ci.example";
	const SUBJECT = "repo:acme/infra:ref:refs/heads/main";
	let key: ClientKey;
	let issuerId: string;
	beforeEach(async () => {
		key = await makeClientKey("RS256");
		issuerId = await addIssuer(service, PLATFORM, { jwks: { keys: [key.publicJwk] } });
	});
	const held = (fields: object = {}) =>
		addAdminKey(service, { workloads: [{ issuer_id: issuerId, subject: SUBJECT }], ...fields });
	const tokenOf = (sub: string, changes: TokenChanges = {}) =>
		platformToken(service, { issuer: PLATFORM, key }, sub, {
			...changes,
			claims: { aud: "https://localhost:8443", ...changes.claims },
		});

	it("is its id and the token of a workload, and no secret", async () => {
		const claims = { repository: "acme/infra" };
		const workloads = [{ issuer_id: issuerId, subject: SUBJECT, claims }];
		const made = await held({ workloads });
		assert.deepEqual([made.key, made.workloads], [`lk_${made.id}.`, workloads]);
		const token = await tokenOf(SUBJECT, { claims });
		const group = await service.call("POST", "/api/v1/groups", {
			token: `${made.key}${token}`,
			body: { name: "By a job" },
		});
		assert.equal(group.status, 201, JSON.stringify(group.body));
		const [event] = await auditOf(service, `group:${group.body.data.id}`);
		assert.equal(event?.actor, `key:${made.id}`);
		const [{ details } = {}] = await auditOf(service, `admin_key:${made.id}`);
		assert.deepEqual(
			[details?.workloads, details?.workload_issuers, details?.workload_claims],
			[[SUBJECT], [issuerId], [JSON.stringify(claims)]],
		);
		assert.ok(service.logs().includes(`"key_id":"${made.id}","workload":"${SUBJECT}"`));
		assert.ok(!service.logs().includes(token));
	});

	it("is refused without a token that one of its workloads holds, and after its end", async () => {
		const made = await held();
		const other = await held({ workloads: [{ issuer_id: issuerId, subject: "repo:acme/other:*" }] });
		const secret = await addAdminKey(service);
		const token = await tokenOf(SUBJECT);
		assert.equal(await statusWith(service, { key: `${made.key}${token}` }), 200);
		const stranger = await makeClientKey("RS256");
		const now = Math.floor(service.clock.now() / 1_000);
		for (const text of [
			made.key,
			`${made.key}${token.slice(0, -4)}AAAA`,
			`${made.key}${await tokenOf("repo:acme/infra:pull_request")}`,
			`${made.key}${await tokenOf(SUBJECT, { claims: { aud: "https://other.example" } })}`,
			`${made.key}${await tokenOf(SUBJECT, { claims: { iat: now - 700, exp: now - 100 } })}`,
			`${made.key}${await tokenOf(SUBJECT, { key: stranger })}`,
			`${other.key}${token}`,
			`lk_${secret.id}.${token}`,
			`lk_01900000-0000-7000-8000-000000000000.${token}`,
			token,
		])
			assert.deepEqual(await outcome(text, "GET", USERS), [401, "token.invalid"], text);
		assert.match(service.logs(), /"reason":"admin_key.workload"/);

		const issuer = `/api/v1/identity-providers/${issuerId}`;
		const inUse = await call(await service.adminToken(), "DELETE", issuer);
		assert.deepEqual([inUse.status, inUse.body.code], [409, "issuer.in_use"]);
		await service.asAdmin("PATCH", issuer, { enabled: false });
		assert.equal(await statusWith(service, { key: `${made.key}${token}` }), 401);
		await service.asAdmin("PATCH", issuer, { enabled: true });
		assert.equal(await statusWith(service, { key: `${made.key}${token}` }), 200);
		for (const { id } of [made, other]) await service.asAdmin("DELETE", `${ADMIN_KEYS}/${id}`);
		assert.equal(await statusWith(service, { key: `${made.key}${token}` }), 401);
		assert.equal((await call(await service.adminToken(), "DELETE", issuer)).status, 204);
	});

	it("has no role that an administrator of the tenant lacks, and only issuers that are trusted for workloads", async () => {
		const signIn = await addIssuer(service, "https://login.other.example", {
			uses: ["assertions"],
			jwks: { keys: [key.publicJwk] },
		});
		for (const [fields, field] of [
			[{ roles: ["platform_admin"] }, "roles"],
			[{ workloads: [] }, "workloads"],
			[{ workloads: [{ issuer_id: signIn, subject: SUBJECT }] }, "workloads.0.issuer_id"],
			[{ workloads: [{ issuer_id: issuerId, subject: "repo:*" }] }, "workloads.0.subject"],
			[
				{ workloads: [{ issuer_id: issuerId, subject: SUBJECT, claims: { aud: "a" } }] },
				"workloads.0.claims",
			],
		] as const) {
			const workloads = [{ issuer_id: issuerId, subject: SUBJECT }];
			const body = keyBody(service, { workloads, ...fields });
			const refused = await problemOf(service, "POST", ADMIN_KEYS, body);
			assert.deepEqual([refused.status, refused.fields], [400, [field]]);
		}
	});
});

describe("a malformed or unknown admin key", () => {
	it("is refused with a challenge, like an invalid access token", async () => {
		const { key } = await addAdminKey(service);
		for (const text of ["lk_", `lk_${randomToken()}`, `${key}A`, key.slice(0, -1), key.toLowerCase()]) {
			const response = await call(text, "GET", USERS);
			assert.deepEqual([response.status, response.body.code], [401, "token.invalid"], text);
			assert.equal(response.headers["www-authenticate"], "Bearer");
		}
		assert.match(service.logs(), /"reason":"admin_key.unknown"/);
		assert.ok(!service.logs().includes(key.slice(3)));
	});
});

describe("an admin key becomes invalid", () => {
	let creator: Person;
	let key: CreatedKey;
	beforeEach(async () => {
		creator = await person(["admin"], { email_verified: true });
		key = await addAdminKey(service, { roles: ["auditor"] }, creator.token);
		assert.equal(await statusWith(service, key), 200);
	});

	const asAdmin = async (method: string, path: string, body?: unknown): Promise<number> =>
		(await call(await service.adminToken(), method, path, body)).status;
	const assertEnded = async (reason: string): Promise<void> => {
		assert.equal(await statusWith(service, key), 401);
		const { action, details } = (await auditOf(service, `admin_key:${key.id}`)).at(-1) ?? {};
		assert.deepEqual([action, details?.reason], ["admin_key.deleted", reason]);
	};

	it("when it expires", async () => {
		service.clock.advance(DAY_MS - 1_000);
		assert.equal(await statusWith(service, key), 200);
		service.clock.advance(1_000);
		assert.equal(await statusWith(service, key), 401);
		assert.equal(refusalLine(key.id)?.reason, "admin_key.expired");
	});

	it("permanently, when its creator is disabled", async () => {
		assert.equal(await asAdmin("PATCH", `${USERS}/${creator.id}`, { status: "disabled" }), 200);
		await assertEnded("creator_changed");
		assert.equal(await asAdmin("PATCH", `${USERS}/${creator.id}`, { status: "active" }), 200);
		assert.equal(await statusWith(service, key), 401);
	});

	it("when its creator loses a role that it needs, unless the remaining roles include it", async () => {
		assert.equal(await asAdmin("PATCH", `${USERS}/${creator.id}`, { roles: ["auditor", "reviewer"] }), 200);
		assert.equal(await statusWith(service, key), 200);
		assert.equal(await asAdmin("PATCH", `${USERS}/${creator.id}`, { roles: ["reviewer"] }), 200);
		await assertEnded("creator_changed");
	});

	it("when its creator is deleted", async () => {
		assert.equal(await asAdmin("DELETE", `${USERS}/${creator.id}`), 204);
		await assertEnded("creator_deleted");
	});

	it("when its creator restores the email address", async () => {
		await moveTo(service, creator, `stolen${count}@people.example`);
		const token = await mailedToken(service, creator.email, "restore-email");
		const response = await service.call("POST", "/api/v1/auth/email/restore", { body: { token } });
		assert.equal(response.status, 204);
		await assertEnded("creator_restored");
	});

	it("even when its creator loses the role outside the API", async () => {
		await using engine = await service.openDatabase();
		await engine.queries.run("UPDATE users SET roles = 'reviewer' WHERE id = $1", creator.id);
		assert.equal(await statusWith(service, key), 401);
		assert.equal(refusalLine(key.id)?.reason, "admin_key.creator");
	});
});
