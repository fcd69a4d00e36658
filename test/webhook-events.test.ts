import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, describe, it } from "node:test";
import { FAILURES_BEFORE_LOCK } from "../src/domain/sign-in-attempt.ts";
import { findWebhookEventType, type WebhookAuditAction } from "../src/domain/webhook-event.ts";
import {
	addTestClient,
	allowTestClients,
	decide,
	mailedToken,
	QUEUE,
	REQUESTS,
	submit,
	submitApproved,
} from "./harness/access/access-requests.ts";
import {
	ABSENT_ID,
	API_CLIENTS,
	APPLICATIONS,
	addApiClient,
	addApplication,
	addRole,
	putGrant,
} from "./harness/access/applications.ts";
import { inMs, runRemoval } from "./harness/access/ends.ts";
import { addGate } from "./harness/access/gates.ts";
import { addGroup, putGroupGrant } from "./harness/access/groups.ts";
import { addKeyClient, addOwnKey } from "./harness/access/partner-keys.ts";
import { addRequestable, MY_REQUESTS, requestRoles } from "./harness/access/person-requests.ts";
import { addReview, itemsOf, REVIEWS } from "./harness/access/reviews.ts";
import { addVerifiedDomain, runDomainChecks } from "./harness/domains/domains.ts";
import { type NameServer, startNameServer } from "./harness/domains/name-server.ts";
import { putOAuthClient } from "./harness/openid/oauth-clients.ts";
import { allowApplication, ISSUER, TestBrowser } from "./harness/openid/openid.ts";
import {
	addProgram,
	addProgramRequest,
	PROGRAM_CALLBACK,
	publishPrograms,
	runCheck,
} from "./harness/openid/programs.ts";
import { ADMIN_KEYS, addAdminKey } from "./harness/people/admin-keys.ts";
import { addPerson, lockPassword, type Person, signInAgain, withDatabase } from "./harness/people/people.ts";
import { moveTo, reset, resetTokenFor } from "./harness/people/recovery.ts";
import { codeFor } from "./harness/people/registration.ts";
import { addDirectory } from "./harness/providers/directories.ts";
import { startTestService, type TestService } from "./harness/service/service.ts";
import {
	RECEIVER_NETWORK,
	type ReceivedWebhook,
	startWebhookReceiver,
	verified,
	type WebhookReceiver,
} from "./harness/webhooks/webhook-receiver.ts";
import { readEventSchemas } from "./harness/webhooks/webhook-schema.ts";
import { addWebhook, WEBHOOKS } from "./harness/webhooks/webhooks.ts";

/** Calls the API; a refused call fails the test. Inferred: comparing two generic response types takes the compiler ten seconds. */
type Api = ReturnType<typeof apiOf>;

const web = publishPrograms();

async function tenantOf(service: TestService): Promise<string> {
	return (await service.asAdmin("GET", "/api/v1/users/me")).tenant_id;
}

async function askForOwnProgram(service: TestService, person: Api["person"]): Promise<void> {
	const url = "https://agent.example/client.json";
	web.publish(url);
	const path = `/api/v1/tenants/${await tenantOf(service)}` as const;
	await service.asAdmin("PATCH", path, { program_requests: true });
	const query = new URLSearchParams({ client_id: url, redirect_uri: PROGRAM_CALLBACK });
	const page = await new TestBrowser(service).go(`/oauth/authorize?${query}`);
	const id = new URL(page.headers.location ?? "").searchParams.get("request");
	const { token } = await person();
	const body = { reason: "To list my tasks." };
	const asked = await service.call("POST", `/api/v1/auth/programs/requests/${id}/ask`, { token, body });
	assert.equal(asked.status, 202);
}

const USERS = "/api/v1/users";
const AUTH = "/api/v1/auth";

async function decideReview(service: TestService, decision: "keep" | "end") {
	await addApiClient(service);
	const { id } = await addReview(service, { subject: "partners" });
	const [item] = await itemsOf(service, id);
	await service.asAdmin("POST", `${REVIEWS}/${id}/items/${item?.id}`, { decision });
	await service.asAdmin("POST", `${REVIEWS}/${id}/close`);
}
let dns: NameServer;

/** For each audit action with a public event, calls that cause it. */
const CHANGES: Readonly<Record<WebhookAuditAction, (api: Api) => Promise<unknown>>> = {
	"access_request.submitted": ({ service }) => submit(service),
	"access_request.approved": ({ service }) => submitApproved(service),
	"access_request.rejected": async ({ service }) => decide(service, (await submit(service)).id, "reject"),
	async "access_request.withdrawn"({ service, call }) {
		const { email } = await submit(service);
		await call("POST", `${REQUESTS}/withdraw`, { token: await mailedToken(service, email, "withdraw") });
	},
	async "access_request.claim_resent"({ service, admin }) {
		await admin("POST", `${QUEUE}/${(await submitApproved(service)).id}/resend`);
	},
	"admin_key.created": ({ service }) => addAdminKey(service),
	async "admin_key.deleted"({ service, admin }) {
		await admin("DELETE", `${ADMIN_KEYS}/${(await addAdminKey(service)).id}`);
	},
	"api_client.created": ({ service }) => addApiClient(service),
	async "api_client.claimed"({ service, call }) {
		const { email } = await submitApproved(service);
		await call("POST", `${REQUESTS}/claim`, { token: await mailedToken(service, email, "claim") });
	},
	async "api_client.test_created"({ service }) {
		await allowTestClients(service);
		await addTestClient(service);
	},
	async "api_client.updated"({ service, admin }) {
		await admin("PATCH", `${API_CLIENTS}/${(await addApiClient(service)).id}`, { name: "Another name" });
	},
	async "api_client.deleted"({ service, admin }) {
		await admin("DELETE", `${API_CLIENTS}/${(await addApiClient(service)).id}`);
	},
	async "api_client.secret_regenerated"({ service, admin }) {
		await admin("POST", `${API_CLIENTS}/${(await addApiClient(service)).id}/regenerate-secret`, {});
	},
	async "api_client.key_added"({ service }) {
		await addOwnKey(service, await addApiClient(service));
	},
	async "api_client.key_accepted"({ service, admin }) {
		const client = await addKeyClient(service);
		const added = await addOwnKey(service, client);
		await admin("POST", `${API_CLIENTS}/${client.id}/keys/${added.key_id}/accept`);
	},
	async "api_client.key_removed"({ service, admin }) {
		const client = await addKeyClient(service);
		const added = await addOwnKey(service, client);
		await admin("DELETE", `${API_CLIENTS}/${client.id}/keys/${added.key_id}`);
	},
	async "api_client.secret_rotated"({ service }) {
		const client = await addApiClient(service);
		const rotated = await service.signed(client, "POST", "/api/v1/external/secret/rotate", { body: {} });
		assert.equal(rotated.status, 200);
	},
	"tenant.branding_updated": async ({ admin }) =>
		admin("PUT", "/api/v1/branding", { product_name: "Looms", accent_color: "#0b6b3a" }),
	"review.created": ({ service }) => addReview(service),
	async "review.closed"({ service, admin }) {
		await admin("POST", `${REVIEWS}/${(await addReview(service)).id}/close`);
	},
	"review.item_kept": ({ service }) => decideReview(service, "keep"),
	"review.item_ended": ({ service }) => decideReview(service, "end"),
	"person_request.submitted": async ({ service, person }) => {
		await requestRoles(service, await person(), await addRequestable(service));
	},
	async "person_request.approved"({ service, person }) {
		const { id } = await requestRoles(service, await person(), await addRequestable(service));
		await decide(service, id, "approve");
	},
	async "person_request.rejected"({ service, person }) {
		const { id } = await requestRoles(service, await person(), await addRequestable(service));
		await decide(service, id, "reject");
	},
	async "person_request.withdrawn"({ service, person, call }) {
		const { token } = await person();
		const { id } = await requestRoles(service, { token }, await addRequestable(service));
		await call("POST", `${MY_REQUESTS}/${id}/withdraw`, undefined, token);
	},
	"program.requested": ({ service, person }) => askForOwnProgram(service, person),
	"program.approved": ({ service }) => addProgram(service),
	async "program.rejected"({ service, admin }) {
		const id = await addProgramRequest(service, await tenantOf(service));
		await admin("POST", `/api/v1/requests/${id}/reject`, { review_note: "No." });
	},
	async "program.changed"({ service, admin }) {
		const id = await addProgram(service);
		const { client_id: url } = (await admin("GET", `/api/v1/programs/${id}`)).data;
		web.publish(url, { redirect_uris: ["https://new.example/cb"] });
		await admin("POST", `/api/v1/programs/${id}/read-again`);
		await runCheck(service, web);
	},
	async "program.suspended"({ service, admin }) {
		await admin("PATCH", `/api/v1/programs/${await addProgram(service)}`, { status: "suspended" });
	},
	async "program.removed"({ service, admin }) {
		await admin("DELETE", `/api/v1/programs/${await addProgram(service)}`);
	},
	"oauth.consented": async ({ service, person }) => allowApplication(service, await person()),
	async "oauth.consent_withdrawn"({ service, call, person }) {
		const one = await person();
		await allowApplication(service, one);
		const [consent] = (await call("GET", `${USERS}/me/consents`, undefined, one.token)).data;
		await call("DELETE", `${USERS}/me/consents/${consent?.id}`, undefined, one.token);
	},
	"gate.created": ({ service }) => addGate(service),
	async "gate.updated"({ service }) {
		const { application_id } = await addGate(service);
		await addGate(service, { statement: true }, application_id);
	},
	async "gate.removed"({ service, admin }) {
		await admin("DELETE", `${APPLICATIONS}/${(await addGate(service)).application_id}/gate`);
	},
	async "gate.key_regenerated"({ service, admin }) {
		await admin("POST", `${APPLICATIONS}/${(await addGate(service)).application_id}/gate/regenerate-key`, {});
	},
	"grant.created": async ({ service, person }) =>
		putGrant(service, (await addApplication(service)).id, (await person()).id),
	async "grant.updated"({ service, person }) {
		const [app, { id }] = [await addApplication(service), await person()];
		await addRole(service, app.id, "editor");
		await putGrant(service, app.id, id);
		await putGrant(service, app.id, id, ["editor"]);
	},
	async "grant.removed"({ service, admin, person }) {
		const [app, { id }] = [await addApplication(service), await person()];
		await putGrant(service, app.id, id);
		await admin("DELETE", `/api/v1/applications/${app.id}/grants/users/${id}`);
	},
	async "grant.expired"({ service, admin, person }) {
		const [app, { id }] = [await addApplication(service), await person()];
		const path = `/api/v1/applications/${app.id}/grants/users/${id}` as const;
		await admin("PUT", path, { expires_at: inMs(service, 120_000) });
		service.clock.advance(120_000);
		await runRemoval(service);
	},
	"domain.verified": ({ service }) => addVerifiedDomain(service, dns, "webhook-verified.example"),
	async "domain.lost"({ service }) {
		const domain = "webhook-lost.example";
		await addVerifiedDomain(service, dns, domain);
		dns.set(`_latchkey.${domain}`, []);
		// The record was missing for long: the receiver compares the time of a delivery with its own.
		await withDatabase(service, ({ queries }) =>
			queries.run(
				`UPDATE domains SET record_seen_at = 1, noticed_at = 1, next_check_at = 1 WHERE domain = $1`,
				domain,
			),
		);
		await runDomainChecks(service, dns);
	},
	async "group.member_expired"({ service, admin, person }) {
		const [group, { id }] = [await addGroup(service), await person()];
		const path = `/api/v1/groups/${group.id}/members/${id}` as const;
		await admin("PUT", path, { expires_at: inMs(service, 120_000) });
		service.clock.advance(120_000);
		await runRemoval(service);
	},
	"oauth_client.created": ({ service }) => putOAuthClient(service),
	async "oauth_client.updated"({ service }) {
		const { client_id } = await putOAuthClient(service);
		await putOAuthClient(service, { first_party: true }, client_id);
	},
	async "oauth_client.deleted"({ service, admin }) {
		await admin("DELETE", `${APPLICATIONS}/${(await putOAuthClient(service)).client_id}/oauth-client`);
	},
	async "oauth_client.secret_regenerated"({ service, admin }) {
		const { client_id } = await putOAuthClient(service);
		await admin("POST", `${APPLICATIONS}/${client_id}/oauth-client/regenerate-secret`, {});
	},
	"user.signed_in": ({ person }) => person(),
	"user.signed_out": async ({ call, person }) =>
		call("POST", `${AUTH}/logout`, undefined, (await person()).token),
	async "session.ended"({ service, call, person }) {
		const one = await person();
		const token = await signInAgain(service, one);
		const sessions = await call("GET", `${USERS}/me/sessions`, undefined, token);
		const other = sessions.data.find(({ current }) => !current);
		await call("DELETE", `${USERS}/me/sessions/${other?.id}`, undefined, token);
	},
	async "session.refresh_reused"({ service, call, person }) {
		const { username, password } = await person();
		const { refresh_token } = (await call("POST", `${AUTH}/login`, { username, password })).data;
		await call("POST", `${AUTH}/refresh`, { refresh_token });
		service.clock.advance(11_000);
		const again = await service.call("POST", `${AUTH}/refresh`, { body: { refresh_token } });
		assert.equal(again.status, 401);
	},
	async "user.session_ended"({ call, admin, person }) {
		const one = await person();
		const sessions = await call("GET", `${USERS}/me/sessions`, undefined, one.token);
		await admin("DELETE", `${USERS}/${one.id}/sessions/${sessions.data[0]?.id}`);
	},
	"user.sessions_revoked": async ({ admin, person }) =>
		admin("POST", `${USERS}/${(await person()).id}/sessions/revoke`),
	async "user.other_sessions_ended"({ service, call, person }) {
		const one = await person();
		await signInAgain(service, one);
		await call("POST", `${USERS}/me/sessions/revoke`, undefined, one.token);
	},
	async "user.adopted"({ service, person }) {
		const { id } = await person();
		const directory = await addDirectory(service);
		const account = { provider: directory.provider, provider_user_id: "adopted" };
		await service.asAdmin("POST", `${USERS}/${id}/third-party-accounts`, account);
		await directory.person("adopted@corp.example", { externalId: "adopted" });
	},
	"user.created": ({ person }) => person(),
	async "user.registered"({ service, call }) {
		const email = "registered@people.example";
		const code = await codeFor(service, email);
		await call("POST", `${AUTH}/register`, {
			username: "registered",
			email,
			password: "a long password of a new user",
			code,
		});
	},
	"user.updated": async ({ admin, person }) =>
		admin("PATCH", `${USERS}/${(await person()).id}`, { display_name: "Another name" }),
	"user.invited": async ({ admin }) =>
		admin("POST", USERS, { username: "invited", email: "invited@people.example", invite: true }),
	async "user.invite_accepted"({ service, admin, call }) {
		const email = "accepts@people.example";
		await admin("POST", USERS, { username: "accepts", email, invite: true });
		const token = await mailedToken(service, email, "invite");
		await call("POST", `${AUTH}/invite/accept`, { token, password: "a long password of an invited user" });
	},
	"user.deleted": async ({ admin, person }) => admin("DELETE", `${USERS}/${(await person()).id}`),
	async "user.password_changed"({ call, person }) {
		const { password, token } = await person();
		const body = { current_password: password, new_password: "another long password" };
		await call("PUT", `${USERS}/me/password`, body, token);
	},
	async "user.password_reset"({ service, person }) {
		const { email } = await person();
		const response = await reset(service, await resetTokenFor(service, email), "another long password");
		assert.equal(response.status, 204);
	},
	async "user.password_locked"({ service, person }) {
		const one = await person();
		await lockPassword(service, one, FAILURES_BEFORE_LOCK - 1);
		const body = { username: one.username, password: "a wrong password" };
		assert.equal((await service.call("POST", `${AUTH}/login`, { body })).status, 401);
	},
	"user.unlocked": async ({ admin, person }) => admin("POST", `${USERS}/${(await person()).id}/unlock`),
	"user.email_changed": async ({ service, person }) =>
		moveTo(service, await person(), "moved@people.example"),
	async "user.email_restored"({ service, call, person }) {
		const one = await person({ email_verified: true });
		await moveTo(service, one, "stolen@people.example");
		const token = await mailedToken(service, one.email, "restore-email");
		await call("POST", `${AUTH}/email/restore`, { token });
	},
};

describe("the events of webhooks", () => {
	let service: TestService;
	let receiver: WebhookReceiver;
	let api: Api;
	let schemas: Awaited<ReturnType<typeof readEventSchemas>>;
	before(async () => {
		dns = await startNameServer();
		service = await startTestService({
			nameServers: [dns.address],
			programDocuments: web.documents,
			env: { LATCHKEY_PUBLIC_URL: ISSUER, LATCHKEY_WEBHOOK_ALLOWED_NETWORKS: RECEIVER_NETWORK },
		});
		api = apiOf(service);
		schemas = await readEventSchemas(service);
	});
	after(async () => {
		await service.stop();
		await dns[Symbol.asyncDispose]();
	});

	for (const [action, change] of Object.entries(CHANGES)) {
		const type = findWebhookEventType(action) as string;
		it(`deliver ${type} for the audit action ${action}`, async () => {
			receiver = await startWebhookReceiver();
			const webhook = await addWebhook(service, { url: receiver.url, event_types: [type] });
			await change(api);
			await receiver.atLeast(1);
			const payloads = receiver.received.map((one) => verified(one, webhook.secret));
			assert.deepEqual([...new Set(payloads.map((payload) => payload.type))], [type]);
			for (const received of receiver.received) schemas.assertMatches(type, received);
			for (const { data } of payloads)
				for (const names of documentedIds(type))
					assert.ok(
						names.some((name) => typeof data[name] === "string"),
						`${type} has ${names.join(" or ")}: ${JSON.stringify(data)}`,
					);
			const id = receiver.received[0]?.headers["webhook-id"];
			const events = await api.admin("GET", `/api/v1/audit-events?action=${action}&page_size=100`);
			assert.ok(
				events.data.some((event) => event.id === id),
				`the trail names event ${id} ${action}`,
			);
			await api.admin("DELETE", `${WEBHOOKS}/${webhook.id}`);
			await receiver.close();
		});
	}

	it("match the OpenAPI document with the fields that only some of them have", async () => {
		receiver = await startWebhookReceiver();
		const types = ["api_client.updated", "grant.*", "user.updated", "user.created"];
		const webhook = await addWebhook(service, { url: receiver.url, event_types: types });
		const client = await addApiClient(service);
		await api.admin("PATCH", `${API_CLIENTS}/${client.id}`, { status: "disabled" });
		const { id } = await api.person();
		await api.admin("PATCH", `${USERS}/${id}`, { status: "disabled" });
		await putGroupGrant(service, (await addApplication(service)).id, (await addGroup(service)).id);
		await receiver.atLeast(4);
		const payloads = receiver.received.map((one) => verified(one, webhook.secret));
		for (const [index, { type }] of payloads.entries())
			schemas.assertMatches(type, receiver.received[index] as ReceivedWebhook);
		const seen = payloads.map(({ type, data }) => [type, data.status, typeof data.group_id]);
		assert.deepEqual(seen.sort(), [
			["api_client.updated", "disabled", "undefined"],
			["grant.created", undefined, "string"],
			["user.created", "active", "undefined"],
			["user.updated", "disabled", "undefined"],
		]);
		await receiver.close();
	});

	it("do not match with an extra field, a missing one, or another value", async () => {
		const headers = { "webhook-id": ABSENT_ID, "webhook-timestamp": "1", "webhook-signature": "v1,x" };
		const data = { tenant_id: ABSENT_ID, actor: "system", user_id: ABSENT_ID, status: "active" };
		const compare = (change: object, ownHeaders: object = headers) => {
			const body = {
				type: "user.created",
				timestamp: "2026-11-20T08:00:00.000Z",
				data: { ...data, ...change },
			};
			const received = { path: "/", headers: { ...ownHeaders }, body: JSON.stringify(body) };
			schemas.assertMatches("user.created", received);
		};
		compare({});
		assert.throws(() => compare({ email: "amira@people.example" }), /additional properties/);
		assert.throws(() => compare({ user_id: undefined }), /required property 'user_id'/);
		assert.throws(() => compare({ status: "away" }), /status must be equal to one of/);
		assert.throws(() => compare({}, { ...headers, "webhook-id": undefined }), /webhook-id/);
	});
});

function apiOf(service: TestService) {
	let people = 0;
	/** With an access token or without one. */
	const call = async <const M extends string, const P extends string>(
		method: M,
		path: P,
		body?: unknown,
		token?: string,
	) => {
		const response = await service.call(method, path, { body, ...(token === undefined ? {} : { token }) });
		assert.ok(
			response.status < 300,
			`${method} ${path}: ${response.status} ${JSON.stringify(response.body)}`,
		);
		return response.body;
	};
	return {
		service,
		call,
		/** As the first admin. */
		admin: async <const M extends string, const P extends string>(method: M, path: P, body?: unknown) =>
			call(method, path, body, await service.adminToken()),
		/** A new account, signed in. */
		person: (fields?: object): Promise<Person> => addPerson(service, `person-${++people}`, { ...fields }),
	};
}

/** The id fields in docs/webhooks.md for the type; an event has at least one of each inner list. */
function documentedIds(type: string): string[][] {
	const document = readFileSync(new URL("../docs/webhooks.md", import.meta.url), "utf8");
	const row = document.split("\n").find((line) => line.startsWith(`| \`${type}\` |`));
	assert.ok(row, `docs/webhooks.md has a row for ${type}`);
	const certain = (row.split("|")[3] ?? "").split(",").filter((part) => !part.includes("(optional)"));
	return [
		["tenant_id"],
		["actor"],
		...certain.map((part) => part.match(/[a-z_]+_id/g) ?? []).filter((names) => names.length > 0),
	];
}
