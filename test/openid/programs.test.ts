// Programs that name themselves by the URL of their document: from the unknown program to tokens, changes, and removal.

import assert from "node:assert/strict";
import { after, before, beforeEach, describe, it } from "node:test";
import { decodeJwt } from "jose";
import * as client from "openid-client";
import { DAY_MS, MINUTE_MS } from "../../src/kernel/clock.ts";
import { ask as askGate, type KeyedGate } from "../harness/access/gate-calls.ts";
import { addGate } from "../harness/access/gates.ts";
import { EXCHANGE } from "../harness/openid/acting-clients.ts";
import { ID_JAG, ID_TOKEN, JWT_BEARER } from "../harness/openid/assertions.ts";
import { assertionOf, keySettings, makeClientKey } from "../harness/openid/client-assertion.ts";
import {
	type AuthorizationRequest,
	type ConnectedClient,
	completeAuthorization,
	connect,
	exchange,
	ISSUER,
	postForm,
	relyingParty,
	signedInBrowser,
	startAuthorization,
	startOpenIdService,
	TestBrowser,
} from "../harness/openid/openid.ts";
import { type PublishedPrograms, publishPrograms, runCheck } from "../harness/openid/programs.ts";
import { addPerson, auditOf, type Person } from "../harness/people/people.ts";
import { addSecondTenant } from "../harness/people/second-tenant.ts";
import type { TestService } from "../harness/service/service.ts";

const TASKS = "https://tasks.example/mcp";
const REASON = { reason: "To list my tasks." };
const LOOPBACK = "http://127.0.0.1:43210/callback";

describe("programs", () => {
	let service: TestService;
	let web: PublishedPrograms;
	let ada: Person;
	let browser: TestBrowser;
	let token: string;
	let count = 0;
	let url: string;
	let tasksId: string;
	before(async () => {
		web = publishPrograms();
		service = await startOpenIdService({ programDocuments: web.documents });
		service.clock.standAt(Date.now());
		tasksId = (await connect(service, { type: "service", resource: TASKS }, { name: "Tasks" })).id;
		await takeRequests(true);
	});
	beforeEach(async () => {
		url = `https://agent-${++count}.example/client.json`;
		// A person may ask five times an hour.
		ada = await addPerson(service, `ada-${count}`);
		({ browser, token } = await signedInBrowser(service, ada));
		web.publish(url);
		web.read.length = 0;
	});
	after(() => service.stop());

	async function takeRequests(isOn: boolean, tenantId?: string) {
		const { tenant_id } = await service.asAdmin("GET", "/api/v1/users/me");
		await service.asAdmin("PATCH", `/api/v1/tenants/${tenantId ?? tenant_id}`, { program_requests: isOn });
	}
	const programOf = (id = url): ConnectedClient => ({ id, secret: "" });
	const partyOf = (id = url) => relyingParty(service, programOf(id), client.None());
	const startAt = async (parameters: Record<string, string> = {}, id = url): Promise<AuthorizationRequest> =>
		startAuthorization(await partyOf(id), {
			redirect_uri: LOOPBACK,
			scope: "openid",
			resource: TASKS,
			...parameters,
		});
	/** Opens the page of the unknown program. @returns the id of its request */
	async function open(start: URL, by = browser): Promise<string> {
		const response = await by.go(start.href);
		assert.equal(response.status, 303, JSON.stringify(response.body));
		const page = new URL(response.headers.location ?? "");
		assert.equal(page.origin + page.pathname, `${ISSUER}/program`);
		return page.searchParams.get("request") ?? "";
	}
	const view = async (id: string, by = token) =>
		(await service.call("GET", `/api/v1/auth/programs/requests/${id}`, { token: by })).body.data;
	const ask = (id: string, by = token) =>
		service.call("POST", `/api/v1/auth/programs/requests/${id}/ask`, { token: by, body: REASON });
	async function pending(of = url) {
		const path = `/api/v1/requests?kind=program&status=pending&q=${encodeURIComponent(of)}` as const;
		const page = await service.callAsAdmin("GET", path as "/api/v1/requests");
		const [request] = page.body.data;
		return request ?? assert.fail("no pending request");
	}
	const decide = async (action: "approve" | "reject", body: object, id?: string) =>
		service.asAdmin("POST", `/api/v1/requests/${id ?? (await pending()).id}/${action}`, body);
	/** Asks for the program and approves it. @returns its application */
	async function review(settings: object = {}): Promise<string> {
		const id = await open((await startAt()).url);
		assert.equal((await ask(id)).status, 202);
		const { application_id } = await decide("approve", { allowed_resources: [TASKS], ...settings });
		return application_id ?? assert.fail("no application");
	}
	async function tokensOf(id = url) {
		const party = await partyOf(id);
		const asked = await startAt({}, id);
		const returned = await completeAuthorization(browser, asked.url, token);
		assert.equal(returned.origin + returned.pathname, LOOPBACK);
		return { party, tokens: await exchange(party, returned, asked, { resource: TASKS }) };
	}
	const refresh = (party: client.Configuration, tokens: client.TokenEndpointResponse) =>
		client.refreshTokenGrant(party, tokens.refresh_token ?? "", { resource: TASKS });
	const change = (application: string, body: object) =>
		service.asAdmin("PATCH", `/api/v1/programs/${application}`, body);
	/** Has the document read again. */
	async function check(application: string) {
		await service.asAdmin("POST", `/api/v1/programs/${application}/read-again`);
		await runCheck(service, web);
	}

	it("announces programs, and is unchanged while no tenant accepts requests", async () => {
		const discovery = () =>
			service.call<Record<string, unknown>>("GET", "/.well-known/oauth-authorization-server", {});
		assert.equal((await discovery()).body.client_id_metadata_document_supported, true);
		await takeRequests(false);
		assert.equal((await discovery()).body.client_id_metadata_document_supported, undefined);
		assert.equal((await browser.go((await startAt()).url.href)).status, 400);
		await takeRequests(true);
	});

	it("announces the APIs of the tenants that accept requests", async () => {
		const other = await addSecondTenant(service);
		const theirs = "https://notes.example/mcp";
		const by = { token: other.adminToken };
		const added = await service.call("POST", "/api/v1/applications", { ...by, body: { name: "Notes" } });
		const path = `/api/v1/applications/${added.body.data.id}/oauth-client` as const;
		await service.call("PUT", path, { ...by, body: { type: "service", resource: theirs } });
		for (const path of ["oauth-authorization-server", "openid-configuration"] as const) {
			const announced = async () =>
				(await service.call<{ protected_resources?: string[] }>("GET", `/.well-known/${path}`, {})).body
					.protected_resources;
			assert.deepEqual(await announced(), [TASKS]);
			await takeRequests(true, other.id);
			assert.deepEqual(await announced(), [theirs, TASKS]);
			await takeRequests(false, other.id);
		}
	});

	it("leads an unknown program to a request, and continues after the approval", async () => {
		const asked = await startAt();
		const id = await open(asked.url);
		assert.deepEqual(web.read, [], "nothing is read before the click");
		assert.deepEqual(await view(id), {
			client_id: url,
			host: new URL(url).host,
			name: null,
			state: "unknown",
			review_note: "",
			redirect_host: "127.0.0.1:43210",
			is_on_device: true,
			apis: ["Tasks"],
			takes_requests: true,
			has_asked: false,
			continue_url: null,
			deny_url: null,
		});
		assert.equal((await ask(id)).status, 202);
		assert.deepEqual(web.read, [url]);
		const { state, has_asked, name, continue_url } = await view(id);
		assert.deepEqual([state, has_asked, name, continue_url], ["pending", true, "Example Agent", null]);
		const waiting = await pending();
		const request = await service.asAdmin("GET", `/api/v1/requests/${waiting.id}`);
		assert.deepEqual(
			request.requested_by.map(({ username, reason }) => [username, reason]),
			[[ada.username, REASON.reason]],
		);
		assert.deepEqual(request.resources, [TASKS]);
		await decide("approve", { allowed_resources: [TASKS], review_note: "For tasks." });
		const approved = await view(id);
		assert.equal(approved.state, "approved");
		const returned = await completeAuthorization(browser, approved.continue_url ?? "", token);
		const party = await partyOf();
		const tokens = await exchange(party, returned, asked, { resource: TASKS });
		assert.equal(tokens.claims()?.aud, url);
		const { client_id: clientId, aud, sub } = decodeJwt(tokens.access_token);
		assert.deepEqual([clientId, aud, sub], [url, TASKS, ada.id]);
		const next = await refresh(party, tokens);
		assert.equal(decodeJwt(next.access_token).client_id, url);
		assert.deepEqual(web.read, [url], "no endpoint of the provider reads the document");
		const mails = await service.mailsTo(ada.email, 1);
		assert.match(String(mails.at(-1)?.text), /Example Agent of agent-\d+\.\S+ was approved/);
	});

	it("never redirects a rejected program by itself, and returns access_denied on request", async () => {
		const asked = await startAt();
		const id = await open(asked.url);
		await ask(id);
		await decide("reject", { review_note: "Nobody knows it." });
		const { state, review_note, deny_url, continue_url } = await view(id);
		assert.deepEqual([state, review_note, continue_url], ["rejected", "Nobody knows it.", null]);
		const back = new URL(deny_url ?? "");
		assert.equal(back.origin + back.pathname, LOOPBACK);
		assert.deepEqual(Object.fromEntries(back.searchParams), {
			error: "access_denied",
			state: asked.state,
			iss: ISSUER,
		});
		await open((await startAt()).url);
		const other = await open((await startAt({ redirect_uri: "https://evil.example/cb" })).url);
		assert.equal((await view(other)).deny_url, null, "the document does not list this redirect URI");
	});

	it("refuses bad URLs and redirect URIs with 400, reading nothing", async () => {
		for (const bad of [
			"https://192.0.2.1/client.json",
			"https://[2001:db8::1]/client.json",
			"https://agent.example:8443/client.json",
			"https://agent.example",
			"https://agent.example/a/../client.json",
			"https://u@agent.example/client.json",
			"https://agent.example/client.json?x=1",
		]) {
			const query = new URLSearchParams({ client_id: bad, redirect_uri: LOOPBACK, response_type: "code" });
			assert.equal((await browser.go(`/oauth/authorize?${query}`)).status, 400, bad);
		}
		assert.equal(
			(await browser.go((await startAt({ redirect_uri: "javascript:alert(1)" })).url.href)).status,
			400,
		);
		for (const resources of [
			["\0"],
			["x".repeat(513)],
			Array.from({ length: 51 }, (_, at) => `https://${at}.example`),
		]) {
			const asked = resources.map((resource): [string, string] => ["resource", resource]);
			const named = {
				client_id: "https://agent.example/client.json",
				redirect_uri: LOOPBACK,
				response_type: "code",
			};
			const query = new URLSearchParams([...Object.entries(named), ...asked]);
			assert.equal((await browser.go(`/oauth/authorize?${query}`)).status, 400);
		}
		assert.deepEqual(web.read, []);
	});

	it("refuses a bad document with 400, naming the member, and stores nothing", async () => {
		const id = await open((await startAt()).url);
		for (const [changes, field] of [
			[null, "document"],
			[{ client_id: "https://other.example/client.json" }, "client_id"],
			[{ client_secret: "x" }, "client_secret"],
		] as const) {
			web.publish(url, changes);
			const response = await service.call("POST", `/api/v1/auth/programs/requests/${id}/ask`, {
				token,
				body: REASON,
				headers: { accept: "application/problem+json" },
			});
			const problem = response.body as unknown as { code: string; errors: { field: string }[] };
			assert.deepEqual(
				[response.status, problem.code, problem.errors[0]?.field],
				[400, "program.document", field],
			);
		}
		assert.equal((await view(id)).state, "unknown");
	});

	it("limits requests to five an hour, and refuses them if the tenant accepts none", async () => {
		const person = await addPerson(service, "eve");
		const id = await open((await startAt()).url);
		const statuses = [];
		for (let tries = 0; tries < 6; tries++) statuses.push((await ask(id, person.token)).status);
		assert.deepEqual(statuses, [202, 202, 202, 202, 202, 429]);
		assert.equal(web.read.length, 1, "the pending request is joined");
		const other = await addSecondTenant(service);
		const refused = await ask(id, other.adminToken);
		assert.deepEqual(
			[refused.status, refused.body],
			[403, { error: "this tenant accepts no requests for programs" }],
		);
	});

	it("stores one request when people ask at the same time", async () => {
		const [first, second] = [await open((await startAt()).url), await open((await startAt()).url)];
		const eve = await addPerson(service, `eve-${count}`);
		const answers = await Promise.all([ask(first), ask(second, eve.token)]);
		assert.deepEqual(
			answers.map(({ status }) => status),
			[202, 202],
		);
		const { id } = await pending();
		const { requested_by } = await service.asAdmin("GET", `/api/v1/requests/${id}`);
		assert.equal(requested_by.length, 2);
	});

	it("decides once, and refuses unknown APIs", async () => {
		await ask(await open((await startAt()).url));
		const { id } = await pending();
		const call = async (body: object) =>
			service.callAsAdmin("POST", `/api/v1/requests/${id}/approve`, { body });
		assert.equal((await call({ allowed_resources: ["https://unknown.example"] })).status, 400);
		// The program has no key.
		const partner = { issuer: "https://login.partner.example", client_id: "agent" };
		assert.equal((await call({ allowed_resources: [], assertion_audiences: [partner] })).status, 400);
		const answers = await Promise.all([call({ allowed_resources: [] }), call({ allowed_resources: [] })]);
		assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409]);
	});

	it("refuses the application's id in place of the URL", async () => {
		const application = await review();
		const response = await browser.go((await startAt({ client_id: application })).url.href);
		assert.equal(response.status, 400);
		const grant = { grant_type: "refresh_token", refresh_token: "x", client_id: application };
		assert.equal((await postForm(service, "/oauth/token", grant)).status, 401);
	});

	it("pushes requests to the tenant that has the program and the API", async () => {
		await review();
		const push = async (resource: string) => {
			const { url: start } = await startAt({ resource });
			return postForm<Record<string, string>>(service, "/oauth/par", start.searchParams);
		};
		const pushed = await push(TASKS);
		assert.equal(pushed.status, 201, JSON.stringify(pushed.body));
		const query = new URLSearchParams({ client_id: url, request_uri: pushed.body.request_uri ?? "" });
		const returned = await completeAuthorization(browser, `${ISSUER}/oauth/authorize?${query}`, token);
		assert.ok(returned.searchParams.has("code"));
		assert.equal((await push("https://other.example")).body.error, "invalid_client");
	});

	it("authenticates a program with its pinned key", async () => {
		const key = await makeClientKey();
		const redirectUris = { redirect_uris: ["https://agent.example/cb"] };
		web.publish(url, {
			token_endpoint_auth_method: "private_key_jwt",
			...redirectUris,
			jwks: keySettings(key.publicJwk).jwks,
		});
		const redirect = { redirect_uri: "https://agent.example/cb" };
		await ask(await open((await startAt(redirect)).url));
		const partner = [{ issuer: "https://login.partner.example", client_id: "agent" }];
		const approval = { allowed_resources: [TASKS], assertion_audiences: partner };
		const { application_id: application } = await decide("approve", approval);
		const asked = await startAt(redirect);
		const returned = await completeAuthorization(browser, asked.url, token);
		const send = async (fields: Record<string, string>, by = key) => {
			const proof = {
				client_id: url,
				client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
				client_assertion: await assertionOf(programOf(), by),
			};
			return (await postForm<Record<string, string>>(service, "/oauth/token", { ...fields, ...proof })).body;
		};
		const redeem = (by: typeof key) => {
			const code = returned.searchParams.get("code") ?? "";
			const fields = {
				grant_type: "authorization_code",
				code,
				code_verifier: asked.verifier,
				resource: TASKS,
			};
			return send({ ...fields, ...redirect }, by);
		};
		assert.equal((await redeem(await makeClientKey())).error, "invalid_client");
		const { access_token: accessToken = "", id_token: idToken = "" } = await redeem(key);
		assert.deepEqual([decodeJwt(accessToken).client_id, decodeJwt(idToken).aud], [url, url]);
		const program = `/api/v1/programs/${application}` as const;
		assert.deepEqual((await service.asAdmin("GET", program)).assertion_audiences, partner);
		const carry = () =>
			send({
				grant_type: EXCHANGE,
				requested_token_type: ID_JAG,
				subject_token: idToken,
				subject_token_type: ID_TOKEN,
				audience: "https://login.partner.example",
			});
		const { access_token: carried = "" } = await carry();
		assert.deepEqual(
			[decodeJwt(carried).sub, decodeJwt(carried).client_id],
			[decodeJwt(idToken).sub, "agent"],
		);
		// An assertion of no one: the program is found by the API, and authenticated.
		const redeemAt = (resource: string, by = key) =>
			send({ grant_type: JWT_BEARER, assertion: carried, resource }, by);
		assert.equal((await redeemAt(TASKS, await makeClientKey())).error, "invalid_client");
		assert.equal((await redeemAt(TASKS)).error, "invalid_grant");
		const changed = await change(String(application), { assertion_audiences: [] });
		assert.deepEqual(changed.assertion_audiences, []);
		assert.equal((await carry()).error, "invalid_target");
		const [event] = (await auditOf(service, `program:${application}`)).slice(-1);
		assert.deepEqual(event?.details.assertion_audiences, []);
		await change(String(application), { assertion_audiences: partner });
		web.publish(url, redirectUris);
		await check(String(application));
		await decide("approve", { allowed_resources: [TASKS] });
		// Without a key, it carries no one.
		assert.deepEqual((await service.asAdmin("GET", program)).assertion_audiences, []);
	});

	it("keeps two tenants apart", async () => {
		const application = await review();
		const other = await addSecondTenant(service);
		await takeRequests(true, other.id);
		const theirs = new TestBrowser(service);
		const theirToken = await theirs.signIn("admin", other.admin.password, { "x-tenant-id": other.id });
		const id = await open((await startAt()).url, theirs);
		assert.equal((await view(id, theirToken)).state, "unknown");
		assert.equal((await ask(id, theirToken)).status, 202);
		const response = await service.call("GET", `/api/v1/programs/${application}`, {
			token: other.adminToken,
		});
		assert.equal(response.status, 404);
		assert.equal((await tokensOf()).tokens.token_type, "bearer", "the first tenant continues");
	});

	it("suspends: no new code, and refresh returns invalid_grant", async () => {
		const application = await review();
		const { party, tokens } = await tokensOf();
		const rules = [{ path: "/*", needs: "signed-in" }];
		const gate = (await addGate(service, { rules }, tasksId)) as KeyedGate;
		const headers = { authorization: `Bearer ${tokens.access_token}` };
		const atGate = async () => (await askGate(service, gate, "/", { headers })).outcome;
		assert.notEqual(await atGate(), "401 token.invalid");
		await change(application, { status: "suspended" });
		assert.equal(await atGate(), "401 token.invalid");
		await assert.rejects(refresh(party, tokens), { error: "invalid_grant" });
		const id = await open((await startAt()).url);
		assert.equal((await view(id)).state, "suspended");
		const expires_at = new Date(service.clock.now() + MINUTE_MS).toISOString();
		await change(application, { status: "active", expires_at });
		const next = await refresh(party, tokens);
		service.clock.advance(2 * MINUTE_MS);
		await assert.rejects(refresh(party, next), { error: "invalid_grant" });
	});

	it("ends the tokens of a removed program at once", async () => {
		const application = await review();
		const { party, tokens } = await tokensOf();
		const removed = await service.callAsAdmin("DELETE", `/api/v1/programs/${application}`);
		assert.equal(removed.status, 204);
		await assert.rejects(refresh(party, tokens), { error: "invalid_grant" });
		assert.equal((await view(await open((await startAt()).url))).state, "unknown");
	});

	it("cannot be changed as an ordinary application", async () => {
		const application = await review();
		for (const [method, path, body] of [
			["PATCH", `/api/v1/applications/${application}`, { redirect_uris: ["https://evil.example/"] }],
			["PATCH", `/api/v1/applications/${application}`, { logo_url: "https://evil.example/logo.png" }],
			["DELETE", `/api/v1/applications/${application}`, undefined],
			["PUT", `/api/v1/applications/${application}/oauth-client`, { type: "spa" }],
			["DELETE", `/api/v1/applications/${application}/oauth-client`, undefined],
		] as const) {
			const response = await service.callAsAdmin<{ error: string }>(method, path, { body });
			assert.equal(response.status, 409, `${method} ${path} ${JSON.stringify(response.body)}`);
		}
	});

	describe("a document that changes", () => {
		it("keeps what was reviewed, mails reviewers once, and is pinned by an approval", async () => {
			const application = await review();
			const { party, tokens } = await tokensOf();
			const reviewer = await addPerson(service, `reviewer-${count}`, { roles: ["reviewer"] });
			web.publish(url, { redirect_uris: ["https://new.example/cb"], client_name: "Other Agent" });
			await check(application);
			await check(application);
			assert.equal((await service.mailsTo(reviewer.email, 1)).length, 1);
			await refresh(party, tokens);
			const refused = await browser.go((await startAt({ redirect_uri: "https://new.example/cb" })).url.href);
			assert.equal(refused.status, 400);
			const { differences, change_request_id } = await service.asAdmin(
				"GET",
				`/api/v1/programs/${application}`,
			);
			assert.deepEqual(
				differences.map(({ member }) => member),
				["client_name", "redirect_uris"],
			);
			await decide("approve", { allowed_resources: [TASKS] }, change_request_id ?? "");
			const after = await tokensOfOther("https://new.example/cb");
			assert.equal(after.token_type, "bearer");
		});

		async function tokensOfOther(redirectUri: string) {
			const asked = await startAt({ redirect_uri: redirectUri });
			const returned = await completeAuthorization(browser, asked.url, token);
			return exchange(await partyOf(), returned, asked, { resource: TASKS });
		}

		it("is not reported again after a rejection, and is withdrawn when it changes back", async () => {
			const application = await review();
			web.publish(url, { redirect_uris: ["https://new.example/cb"] });
			await check(application);
			await decide("reject", { review_note: "Keep it." });
			await check(application);
			const { change_request_id } = await service.asAdmin("GET", `/api/v1/programs/${application}`);
			assert.equal(change_request_id, null);
			web.publish(url, { redirect_uris: ["https://newer.example/cb"] });
			await check(application);
			const { id } = await pending();
			web.publish(url);
			await check(application);
			assert.equal((await service.asAdmin("GET", `/api/v1/requests/${id}`)).status, "withdrawn");
		});

		it("suspends the program after 14 days without a decision", async () => {
			const application = await review();
			web.publish(url, { redirect_uris: ["https://new.example/cb"] });
			await check(application);
			service.clock.advance(14 * DAY_MS);
			await check(application);
			assert.equal((await service.asAdmin("GET", `/api/v1/programs/${application}`)).status, "suspended");
			await decide("approve", { allowed_resources: [TASKS] });
			assert.equal((await service.asAdmin("GET", `/api/v1/programs/${application}`)).status, "active");
		});

		it("stays suspended after an approval if an administrator suspended the program", async () => {
			const application = await review();
			web.publish(url, { redirect_uris: ["https://new.example/cb"] });
			await check(application);
			service.clock.advance(14 * DAY_MS);
			await check(application);
			const suspendedBy = async () =>
				(await service.asAdmin("GET", `/api/v1/programs/${application}`)).suspended_by;
			assert.equal(await suspendedBy(), "check");
			await change(application, { status: "suspended" });
			assert.equal(await suspendedBy(), "administrator");
			await decide("approve", { allowed_resources: [TASKS] });
			const { status, document } = await service.asAdmin("GET", `/api/v1/programs/${application}`);
			assert.deepEqual([status, document.redirect_uris[0]?.uri], ["suspended", "https://new.example/cb"]);
			await change(application, { status: "active" });
			assert.equal(await suspendedBy(), null);
		});

		it("keeps its 14-day deadline if one read finds the reviewed document again", async () => {
			const application = await review();
			const reviewer = await addPerson(service, `reviewer-${count}`, { roles: ["reviewer"] });
			const other = { redirect_uris: ["https://new.example/cb"] };
			web.publish(url, other);
			await check(application);
			const { id, created_at } = await pending();
			service.clock.advance(12 * DAY_MS);
			web.publish(url);
			await check(application);
			assert.equal((await service.asAdmin("GET", `/api/v1/requests/${id}`)).status, "withdrawn");
			service.clock.advance(DAY_MS);
			web.publish(url, other);
			await check(application);
			assert.equal((await pending()).created_at, created_at);
			const day = new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeZone: "UTC" });
			const mail = (await service.mailsTo(reviewer.email, 2)).at(-1);
			const suspendAt = day.format(Date.parse(created_at) + 14 * DAY_MS);
			assert.match(String(mail?.text), new RegExp(`without a decision: ${suspendAt} at`));
			service.clock.advance(DAY_MS);
			await check(application);
			assert.equal((await service.asAdmin("GET", `/api/v1/programs/${application}`)).status, "suspended");
		});

		it("has its own 14-day deadline after another change was withdrawn", async () => {
			const application = await review();
			web.publish(url, { redirect_uris: ["https://new.example/cb"] });
			await check(application);
			service.clock.advance(12 * DAY_MS);
			web.publish(url);
			await check(application);
			service.clock.advance(DAY_MS);
			web.publish(url, { redirect_uris: ["https://newer.example/cb"] });
			await check(application);
			assert.equal(Date.parse((await pending()).created_at), service.clock.now());
			service.clock.advance(DAY_MS);
			await check(application);
			assert.equal((await service.asAdmin("GET", `/api/v1/programs/${application}`)).status, "active");
		});

		it("counts as a new change after seven days in the reviewed form", async () => {
			const application = await review();
			const other = { redirect_uris: ["https://new.example/cb"] };
			web.publish(url, other);
			await check(application);
			web.publish(url);
			await check(application);
			service.clock.advance(7 * DAY_MS);
			web.publish(url, other);
			await check(application);
			assert.equal(Date.parse((await pending()).created_at), service.clock.now());
		});

		it("cannot be approved by a reviewer who read an earlier document", async () => {
			const application = await review();
			web.publish(url, { redirect_uris: ["https://new.example/cb"] });
			await check(application);
			const { id } = await pending();
			const read = async () => service.asAdmin("GET", `/api/v1/requests/${id}`);
			const approve = async (digest: string | null) =>
				service.callAsAdmin<{ code: string }>("POST", `/api/v1/requests/${id}/approve`, {
					body: { allowed_resources: [TASKS], document_digest: digest },
					headers: { accept: "application/problem+json" },
				});
			const { document_digest: seen } = await read();
			web.publish(url, { redirect_uris: ["https://evil.example/cb"] });
			await check(application);
			const refused = await approve(seen);
			assert.deepEqual([refused.status, refused.body.code], [409, "program_request.document_changed"]);
			const after = await read();
			assert.equal(after.status, "pending");
			assert.notEqual(after.document_digest, seen);
			assert.equal((await approve("short")).status, 400);
			assert.equal((await approve(after.document_digest)).status, 200);
		});

		it("is reported after seven days without a readable document", async () => {
			const application = await review();
			web.publish(url, null);
			service.clock.advance(6 * DAY_MS);
			await check(application);
			assert.equal((await service.asAdmin("GET", `/api/v1/programs/${application}`)).change_request_id, null);
			service.clock.advance(DAY_MS);
			await check(application);
			const { id } = await pending();
			const response = await service.callAsAdmin("POST", `/api/v1/requests/${id}/approve`, {
				body: { allowed_resources: [] },
			});
			assert.equal(response.status, 409);
		});
	});
});
