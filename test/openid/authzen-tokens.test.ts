// Access decisions (AuthZEN) for services with an access token, and for admin keys.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
	ABSENT_ID,
	addApiClient,
	addApplication,
	addRole,
	putGrant,
} from "../harness/access/applications.ts";
import { serviceToken } from "../harness/access/gate-calls.ts";
import { makeProofKey, proofOf, userinfoClaims } from "../harness/openid/dpop-proof.ts";
import {
	basicAuth,
	type ConnectedClient,
	connect,
	ISSUER,
	obtainTokens,
	postForm,
	relyingParty,
	signedInBrowser,
} from "../harness/openid/openid.ts";
import { addAdminKey } from "../harness/people/admin-keys.ts";
import { addPerson } from "../harness/people/people.ts";
import { addSecondTenant } from "../harness/people/second-tenant.ts";
import { fixture, setup, testService } from "../harness/runs/fixture.ts";

const PATH = "/access/v1/evaluation";
const TODO = "https://todo.example";
const BILLING = "https://billing.example";

const service = testService({ env: { LATCHKEY_PUBLIC_URL: ISSUER } });
const ada = fixture(() => addPerson(service, "ada"));
let todo: ConnectedClient;
let billing: ConnectedClient;

/** Adds the role `editor` with the permission to an application, and gives it to Ada. */
async function allow(appId: string, permission: string): Promise<void> {
	await addRole(service, appId, "editor", [permission]);
	await putGrant(service, appId, ada.id, ["editor"]);
}

setup(async () => {
	todo = await connect(service, { type: "service", resource: TODO, allowedResources: [TODO, BILLING] });
	billing = await connect(service, { type: "service", resource: BILLING, allowedResources: [BILLING] });
	await allow(todo.id, "can_create_todo");
	await allow(billing.id, "invoices:read");
});

const application = (id: string) => ({ type: "application", id });
const about = (name: string, resource: object) => ({
	subject: { type: "user", id: ada.id },
	action: { name },
	resource,
});
const YES = { decision: true, context: { reason: "ok" } };
const denied = (reason: string) => ({ decision: false, context: { reason } });

async function ask(authorization: string, body: object, headers: Record<string, string> = {}, path = PATH) {
	return await service.call<{ code?: string; evaluations?: unknown }>("POST", path, {
		https: true,
		body,
		headers: { authorization, accept: "application/problem+json", ...headers },
	});
}
const codeOf = async (authorization: string, body: object, headers: Record<string, string> = {}) => {
	const response = await ask(authorization, body, headers);
	return `${response.status} ${response.body.code}`;
};
const bearer = async (client = todo, resource = TODO, scope?: string) =>
	`Bearer ${await serviceToken(service, client, resource, scope)}`;

describe("a service that asks about access", () => {
	it("gets decisions about any type of its own application, without naming it", async () => {
		const token = await bearer();
		for (const [name, resource, expected] of [
			["can_create_todo", { type: "todo", id: "7240d0db-8ff0-41ec-98b2-34a096273b9f" }, YES],
			["can_create_todo", { type: "route", id: "/todos" }, YES],
			["can_create_todo", application(todo.id), YES],
			["@access", { type: "todo", id: "1", properties: { application_id: todo.id, ownerID: "ada" } }, YES],
			["can_delete_todo", { type: "todo", id: "1" }, denied("missing_permission")],
			["invoices:read", { type: "todo", id: "1" }, denied("missing_permission")],
		] as const) {
			const { status, body } = await ask(token, about(name, resource));
			assert.deepEqual([status, body], [200, expected], `${name} ${JSON.stringify(resource)}`);
		}
		const { subject, resource } = about("", { type: "todo", id: "1" });
		const evaluations = ["can_create_todo", "can_delete_todo"].map((name) => ({ action: { name } }));
		const { body } = await ask(token, { subject, resource, evaluations }, {}, `${PATH}s`);
		assert.deepEqual(body.evaluations, [YES, denied("missing_permission")]);
	});

	it("does not take the id of a misspelled application for its own", async () => {
		const token = await bearer();
		for (const type of ["Application", "APPLICATION"])
			assert.equal(await codeOf(token, about("@access", { type, id: billing.id })), "400 request.invalid");
	});

	it("learns nothing about other applications, known, foreign, or unknown", async () => {
		const token = await bearer();
		const other = await addApplication(service, { access_policy: "open" });
		const foreign = await addSecondTenant(service);
		const answers = new Set<string>();
		for (const id of [billing.id, other.id, foreign.id, ABSENT_ID, "x"])
			for (const resource of [
				application(id),
				{ type: "todo", id: "1", properties: { application_id: id } },
			]) {
				const { status, body } = await ask(token, about("@access", resource), { accept: "*/*" });
				answers.add(JSON.stringify([status, body]));
			}
		assert.equal(answers.size, 1, [...answers].join());
		assert.match([...answers].join(), /^\[403,/);
	});

	it("is refused with a token for another API, unless it has the permission access:check there", async () => {
		const question = about("invoices:read", { type: "invoice", id: "1" });
		assert.equal(await codeOf(await bearer(todo, BILLING), question), "403 scope.missing");
		const grants = `/api/v1/applications/${billing.id}/grants/programs/${todo.id}`;
		await addRole(service, billing.id, "reader", ["*", "access:*"]);
		await service.asAdmin("PUT", grants, { roles: ["reader"] });
		assert.equal(await codeOf(await bearer(todo, BILLING), question), "403 scope.missing");
		await addRole(service, billing.id, "checker", ["access:check"]);
		await service.asAdmin("PUT", grants, { roles: ["checker"] });
		const token = await bearer(todo, BILLING);
		assert.deepEqual((await ask(token, question)).body, YES);
		assert.equal(await codeOf(token, about("@access", application(todo.id))), "403 scope.missing");
		// The token still has the scope.
		await service.asAdmin("PUT", grants, { roles: ["reader"] });
		assert.equal(await codeOf(token, question), "403 scope.missing");
		await service.asAdmin("PUT", grants, { roles: ["checker"] });
		assert.deepEqual((await ask(token, question)).body, YES);
		await service.asAdmin("DELETE", grants);
		assert.equal(await codeOf(token, question), "403 scope.missing");
	});

	it("is refused when it is disabled, and when its client is deleted", async () => {
		const resource = "https://ends.example";
		const settings = { type: "service", resource, allowedResources: [resource] } as const;
		for (const end of [
			(id: string) => service.asAdmin("PATCH", `/api/v1/applications/${id}`, { status: "disabled" }),
			async (id: string) => {
				await service.asAdmin("DELETE", `/api/v1/applications/${id}/oauth-client`);
			},
		]) {
			const ending = await connect(service, settings);
			const token = await bearer(ending, resource);
			const question = about("@access", application(ending.id));
			assert.equal((await ask(token, question)).status, 200);
			await end(ending.id);
			assert.equal(await codeOf(token, question), "401 token.invalid");
			await service.asAdmin("DELETE", `/api/v1/applications/${ending.id}`);
		}
	});

	it("is challenged for a token, and refused with tokens of people and with anything else", async () => {
		const question = about("@access", application(todo.id));
		const { browser, token: session } = await signedInBrowser(service, ada);
		const app = await connect(service, { firstParty: true, allowedResources: [TODO] });
		const party = await relyingParty(service, app);
		const tokens = await obtainTokens(party, browser, session, {
			scope: "openid can_create_todo",
			resource: TODO,
		});
		const ofPerson = await ask(`Bearer ${tokens.access_token}`, question);
		assert.deepEqual([ofPerson.status, ofPerson.body.code], [401, "token.invalid"]);
		assert.equal(ofPerson.headers["www-authenticate"], "Bearer");
		for (const token of [session, await service.adminToken(), tokens.id_token, todo.secret, "x"])
			assert.equal(await codeOf(`Bearer ${token}`, question), "401 token.invalid");
		for (const authorization of ["", "Basic YTpi", "Bearer", `Bearer a b`])
			assert.equal(await codeOf(authorization, question), "401 token.missing", authorization);
	});

	it("is refused with a token and a signature, which could be of two callers", async () => {
		const client = await addApiClient(service, { app_id: todo.id, scopes: ["access:check"] });
		const body = about("@access", application(todo.id));
		assert.equal((await service.signed(client, "POST", PATH, { body })).status, 200);
		const headers = { authorization: await bearer(), accept: "application/problem+json" };
		const both = await service.signed(client, "POST", PATH, { body, headers });
		assert.deepEqual([both.status, both.body.code], [401, "signature.headers"]);
		const keyed = { "x-api-key": client.api_key };
		assert.equal(await codeOf(headers.authorization, body, keyed), "401 signature.headers");
	});
});

describe("a token that is bound to a key", () => {
	const question = () => about("can_create_todo", { type: "todo", id: "1" });

	it("needs a proof for the public URL, which works once", async () => {
		const key = await makeProofKey();
		const fields = { grant_type: "client_credentials", resource: TODO };
		const headers = { authorization: basicAuth(todo), dpop: await proofOf(key, "/oauth/token") };
		const { access_token: token } = (await postForm(service, "/oauth/token", fields, headers)).body;
		const { ath } = userinfoClaims(token);
		const proof = await proofOf(key, PATH, { claims: { ath } });
		assert.equal(await codeOf(`Bearer ${token}`, question(), { dpop: proof }), "401 token.invalid");
		assert.equal(await codeOf(`DPoP ${token}`, question()), "401 token.invalid");
		for (const claims of [
			{ ath, htu: `${service.httpsUrl}${PATH}` },
			{ ath, htu: `${ISSUER}${PATH}s` },
			{ ath, htm: "GET" },
			{ ath: "x" },
		]) {
			const wrong = await proofOf(key, PATH, { claims });
			assert.equal(await codeOf(`DPoP ${token}`, question(), { dpop: wrong }), "401 token.invalid");
		}
		assert.deepEqual((await ask(`DPoP ${token}`, question(), { dpop: proof })).body, YES);
		assert.equal(await codeOf(`DPoP ${token}`, question(), { dpop: proof }), "401 token.invalid");
		assert.equal(
			await codeOf((await bearer()).replace("Bearer", "DPoP"), question(), { dpop: proof }),
			"401 token.invalid",
		);
	});
});

describe("an admin key that asks about access", () => {
	it("gets decisions about every application of its tenant, named by resource or properties", async () => {
		const { key } = await addAdminKey(service);
		for (const [resource, expected] of [
			[application(billing.id), YES],
			[{ type: "invoice", id: "1", properties: { application_id: billing.id } }, YES],
			[application(todo.id), denied("missing_permission")],
			[application(ABSENT_ID), denied("app_not_found")],
			[{ type: "invoice", id: "1", properties: { application_id: "x" } }, denied("app_not_found")],
		] as const)
			assert.deepEqual((await ask(`Bearer ${key}`, about("invoices:read", resource))).body, expected);
		const nameless = about("invoices:read", { type: "invoice", id: billing.id });
		assert.equal(await codeOf(`Bearer ${key}`, nameless), "400 request.invalid");
	});

	it("needs the role admin, and its own tenant", async () => {
		const question = about("invoices:read", application(billing.id));
		for (const role of ["auditor", "reviewer"]) {
			const { key } = await addAdminKey(service, { roles: [role] });
			assert.equal(await codeOf(`Bearer ${key}`, question), "403 role.required");
		}
		const { adminToken } = await addSecondTenant(service);
		const { key } = await addAdminKey(service, {}, adminToken);
		assert.deepEqual((await ask(`Bearer ${key}`, question)).body, denied("user_not_found"));
		assert.equal(await codeOf(`Bearer ${key}x`, question), "401 token.invalid");
		const elsewhere = await addAdminKey(service, { ip_allowlist: ["203.0.113.7"] });
		assert.equal(await codeOf(`Bearer ${elsewhere.key}`, question), "403 ip.not_allowed");
	});
});
