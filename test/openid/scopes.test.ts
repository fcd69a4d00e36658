// Scopes of APIs: what a program requests, what its user allows, and what the user has when a token is issued.

import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { decodeJwt } from "jose";
import * as client from "openid-client";
import { rows } from "../harness/access/access-requests.ts";
import { addRole, putGrant } from "../harness/access/applications.ts";
import { ask, type KeyedGate } from "../harness/access/gate-calls.ts";
import { addGate } from "../harness/access/gates.ts";
import {
	CALLBACK,
	type ConnectedClient,
	completeAuthorization,
	connect,
	idOf,
	openIdService,
	proceed,
	relyingParty,
	signedInBrowser,
	type TestBrowser,
} from "../harness/openid/openid.ts";
import { addPerson, type Person } from "../harness/people/people.ts";
import { openBeside } from "../harness/service/beside-service.ts";

const TASKS = "https://tasks.example/mcp";
const NOTES = "https://notes.example/mcp";
const INVALID_SCOPE = { error: "invalid_scope" };

interface ShownInteraction {
	readonly data: {
		readonly scopes: readonly string[];
		readonly apis: readonly { readonly resource: string; readonly scopes: readonly { name: string }[] }[];
	};
}

describe("scopes of APIs", () => {
	const service = openIdService();
	let ada: Person;
	let browser: TestBrowser;
	let session: string;
	let tasks: ConnectedClient;
	let notes: ConnectedClient;
	before(async () => {
		ada = await addPerson(service, "ada");
		({ browser, token: session } = await signedInBrowser(service, ada));
		tasks = await connect(service, { resource: TASKS }, { name: "Tasks" });
		notes = await connect(service, { resource: NOTES }, { name: "Notes" });
		await addRole(service, tasks.id, "everything", ["tasks:read", "tasks:write", "shared:read", "tasks:*"]);
		await addRole(service, notes.id, "everything", ["notes:read", "shared:read"]);
	});

	const addProgram = async (settings: Parameters<typeof connect>[1] = {}) => {
		const connected = await connect(service, { allowedResources: [TASKS, NOTES], ...settings });
		return { ...connected, party: await relyingParty(service, connected) };
	};
	type Program = Awaited<ReturnType<typeof addProgram>>;

	/** Replaces the roles of ada at the API by one with these permissions. */
	let roles = 0;
	const hold = async (permissions: readonly string[], api = tasks) => {
		roles += 1;
		const role = await addRole(service, api.id, `held-${roles}`, [...permissions]);
		await putGrant(service, api.id, ada.id, [role.id]);
		return role;
	};

	/** An authorization request of a client that knows OAuth only: no nonce, no scope unless given. */
	async function request(
		{ party, id }: Program,
		parameters: Readonly<Record<string, string>> = {},
		apis = [TASKS],
	) {
		const verifier = client.randomPKCECodeVerifier();
		const url = client.buildAuthorizationUrl(party, {
			client_id: id,
			redirect_uri: CALLBACK,
			code_challenge: await client.calculatePKCECodeChallenge(verifier),
			code_challenge_method: "S256",
			...parameters,
		});
		for (const api of apis) url.searchParams.append("resource", api);
		return { url, verifier };
	}
	async function redeem(program: Program, scope?: string, apis = [TASKS], resource = apis[0] ?? "") {
		const { url, verifier } = await request(program, scope === undefined ? {} : { scope }, apis);
		const returned = await completeAuthorization(browser, url, session);
		assert.equal(returned.searchParams.get("error"), null, returned.href);
		return await client.authorizationCodeGrant(
			program.party,
			returned,
			{ pkceCodeVerifier: verifier },
			{ resource },
		);
	}
	const refresh = (program: Program, token: string | undefined, parameters: Record<string, string> = {}) =>
		client.refreshTokenGrant(program.party, token ?? "", { resource: TASKS, ...parameters });
	/** The page to which the browser is sent, or the error that the client receives. */
	async function answer(program: Program, parameters: Readonly<Record<string, string>> = {}, apis = [TASKS]) {
		const { url } = await request(program, parameters, apis);
		const { headers, status } = await browser.go(url.href);
		assert.equal(status, 303);
		const to = new URL(headers.location ?? "");
		return { to, error: to.searchParams.get("error"), text: to.searchParams.get("error_description") };
	}
	async function shown(program: Program, parameters: Readonly<Record<string, string>> = {}, apis = [TASKS]) {
		const { to } = await answer(program, parameters, apis);
		assert.equal(to.pathname, "/consent", to.href);
		const found = await service.call<ShownInteraction>(
			"GET",
			`/api/v1/auth/interactions/${idOf(to.href)}`,
			{},
		);
		const names = found.body.data.apis.map(({ resource, scopes }) => [
			resource,
			scopes.map(({ name }) => name),
		]);
		return { id: idOf(to.href), scopes: found.body.data.scopes, apis: Object.fromEntries(names) };
	}
	const scopeIn = (token: string) => decodeJwt(token).scope;

	describe("a request with a resource and without a scope", () => {
		it("asks for all permissions of the API, and its token has those that the user has", async () => {
			const program = await addProgram();
			await hold(["tasks:read"]);
			const { apis, scopes } = await shown(program);
			assert.deepEqual([scopes, apis[TASKS]], [[], ["shared:read", "tasks:read", "tasks:write"]]);
			const tokens = await redeem(program);
			assert.equal(tokens.scope, "tasks:read");
			const { scope, permissions, roles, sub } = decodeJwt(tokens.access_token);
			assert.deepEqual([scope, permissions, roles, sub], ["tasks:read", undefined, undefined, ada.id]);
			assert.equal(tokens.id_token, undefined);
			await assert.rejects(client.fetchUserInfo(program.party, tokens.access_token, ada.id), { status: 401 });
		});

		it("gets the user's current permissions at each refresh, even if there are none", async () => {
			const program = await addProgram();
			await hold(["tasks:read", "tasks:write"]);
			const first = await redeem(program);
			assert.equal(first.scope, "tasks:read tasks:write");
			await hold(["tasks:write"]);
			const second = await refresh(program, first.refresh_token);
			assert.equal(scopeIn(second.access_token), "tasks:write");
			await hold([]);
			const third = await refresh(program, second.refresh_token);
			assert.deepEqual([third.scope, scopeIn(third.access_token)], [undefined, undefined]);
			await hold(["tasks:read"]);
			assert.equal((await refresh(program, third.refresh_token)).scope, "tasks:read");
		});

		it("gets a token without scope for an API without permissions", async () => {
			const resource = "https://plain.example/mcp";
			await connect(service, { resource });
			const program = await addProgram({ allowedResources: [resource] });
			const tokens = await redeem(program, undefined, [resource]);
			assert.deepEqual([tokens.scope, decodeJwt(tokens.access_token).aud], [undefined, resource]);
			const next = await refresh(program, tokens.refresh_token, { resource });
			assert.equal(scopeIn(next.access_token), undefined);
		});

		it("may be pushed, and may come from a device", async () => {
			await hold(["tasks:read"]);
			const program = await addProgram();
			const { url, verifier } = await request(program);
			const pushed = await client.buildAuthorizationUrlWithPAR(program.party, url.searchParams);
			const returned = await completeAuthorization(browser, pushed, session);
			const checks = { pkceCodeVerifier: verifier };
			const tokens = await client.authorizationCodeGrant(program.party, returned, checks, {
				resource: TASKS,
			});
			assert.equal(tokens.scope, "tasks:read");

			const device = await addProgram({ type: "native", authMethod: "none", deviceFlow: true });
			const party = await relyingParty(service, device, client.None());
			const code = await client.initiateDeviceAuthorization(party, { resource: TASKS });
			const body = { user_code: code.user_code };
			const preview = await browser.post<ShownInteraction>(
				"/api/v1/auth/device-codes/preview",
				body,
				session,
			);
			const names = preview.body.data.apis.map(({ scopes }) => scopes.map(({ name }) => name));
			assert.deepEqual(names, [["shared:read", "tasks:read", "tasks:write"]]);
			const approved = await browser.post("/api/v1/auth/device-codes/approve", body, session);
			assert.equal(approved.status, 204);
			const polled = await client.pollDeviceAuthorizationGrant(party, code, { resource: TASKS });
			assert.equal(scopeIn(polled.access_token), "tasks:read");
			const refreshed = await client.refreshTokenGrant(party, polled.refresh_token ?? "", {
				resource: TASKS,
			});
			assert.equal(refreshed.scope, "tasks:read");
		});
	});

	it("are shown with the words of a role, in both languages", async () => {
		const resource = "https://worded.example/mcp";
		const api = await connect(service, { resource });
		const permission_descriptions = [{ permission: "a:read", en: "Read your a", zh: "查看您的 a" }];
		const role = { permissions: ["a:read", "b:read"], permission_descriptions };
		await addRole(service, api.id, "first", ["a:read"]);
		await service.asAdmin("POST", `/api/v1/applications/${api.id}/roles`, { name: "second", ...role });
		const { to } = await answer(await addProgram({ allowedResources: [resource] }), {}, [resource]);
		const found = await service.call<ShownInteraction>(
			"GET",
			`/api/v1/auth/interactions/${idOf(to.href)}`,
			{},
		);
		assert.deepEqual(found.body.data.apis[0]?.scopes, [
			{ name: "a:read", description: { en: "Read your a", zh: "查看您的 a" } },
			{ name: "b:read", description: null },
		]);
	});

	describe("a request that names scopes", () => {
		it("gets those that the API has and the user holds, including by a pattern; others are ignored", async () => {
			const program = await addProgram();
			await hold(["tasks:*"]);
			const tokens = await redeem(program, "tasks:read unknown notes:read tasks:*");
			assert.equal(tokens.scope, "tasks:read");
			await hold(["*"]);
			const next = await refresh(program, tokens.refresh_token, { scope: "tasks:read unknown" });
			assert.equal(next.scope, "tasks:read");
		});

		it("gets an ID token and claims beside them if it asks for these", async () => {
			const program = await addProgram();
			const role = await hold(["tasks:read", "tasks:write"]);
			const tokens = await redeem(program, "openid roles offline_access tasks:read");
			assert.equal(tokens.claims()?.sub, ada.id);
			const { scope, roles, permissions } = decodeJwt(tokens.access_token);
			assert.deepEqual(
				[scope, roles, permissions],
				["tasks:read", [role.name], ["tasks:read", "tasks:write"]],
			);
		});

		it("gets no scope of an API if it names only scopes of OpenID Connect", async () => {
			const program = await addProgram();
			await hold(["tasks:read"]);
			const { apis, scopes } = await shown(program, { scope: "openid roles" });
			assert.deepEqual([scopes, apis], [["openid", "roles"], { [TASKS]: [] }]);
			const tokens = await redeem(program, "openid roles");
			assert.deepEqual([tokens.scope, scopeIn(tokens.access_token)], [undefined, undefined]);
		});

		it("gets a token without scope if it names only unknown ones", async () => {
			await hold(["tasks:read"]);
			const tokens = await redeem(await addProgram(), "unknown");
			assert.deepEqual([tokens.scope, scopeIn(tokens.access_token)], [undefined, undefined]);
		});

		it("is refused before a consent if the user has none of them", async () => {
			const program = await addProgram();
			await hold(["tasks:read"]);
			const refused = await answer(program, { scope: "tasks:write" });
			assert.deepEqual([refused.to.origin, refused.error], [new URL(CALLBACK).origin, "invalid_scope"]);
			assert.match(refused.text ?? "", /has none of these permissions/);
			assert.equal((await answer(program, { scope: "tasks:write", prompt: "none" })).error, "invalid_scope");
			assert.equal((await answer(program, { scope: "tasks:read tasks:write" })).to.pathname, "/consent");
		});

		it("loses them with the role, and its refresh token stays valid", async () => {
			const program = await addProgram();
			await hold(["tasks:read", "tasks:write"]);
			const first = await redeem(program, "tasks:read tasks:write");
			await hold(["tasks:read"]);
			const second = await refresh(program, first.refresh_token);
			assert.equal(second.scope, "tasks:read");
			await hold([]);
			await assert.rejects(refresh(program, second.refresh_token), INVALID_SCOPE);
			await hold(["tasks:write"]);
			assert.equal((await refresh(program, second.refresh_token)).scope, "tasks:write");
		});

		it("is refused at the token endpoint if the user lost them after the consent", async () => {
			const program = await addProgram();
			await hold(["tasks:read"]);
			const { url, verifier } = await request(program, { scope: "tasks:read" });
			const returned = await completeAuthorization(browser, url, session);
			await hold([]);
			const checks = { pkceCodeVerifier: verifier };
			const redeemed = client.authorizationCodeGrant(program.party, returned, checks, { resource: TASKS });
			await assert.rejects(redeemed, INVALID_SCOPE);
		});

		it("narrows at a refresh and widens again, up to what was granted", async () => {
			const program = await addProgram();
			await hold(["tasks:read", "tasks:write", "shared:read"]);
			const first = await redeem(program, "tasks:read tasks:write");
			const narrow = await refresh(program, first.refresh_token, { scope: "tasks:read" });
			assert.equal(narrow.scope, "tasks:read");
			await assert.rejects(
				refresh(program, narrow.refresh_token, { scope: "tasks:read shared:read" }),
				INVALID_SCOPE,
			);
			assert.equal((await refresh(program, narrow.refresh_token)).scope, "tasks:read tasks:write");
		});

		it("never names the marker of a request without scope", async () => {
			const program = await addProgram();
			assert.equal((await answer(program, { scope: '"unnamed"' })).error, "invalid_scope");
			const tokens = await redeem(program);
			await assert.rejects(refresh(program, tokens.refresh_token, { scope: '"unnamed"' }));
			const next = await client.tokenIntrospection(program.party, tokens.refresh_token ?? "");
			assert.deepEqual([next.active, next.scope], [true, "shared:read tasks:read tasks:write"]);
		});
	});

	describe("a request without a resource", () => {
		it("is refused at once without a scope of OpenID Connect", async () => {
			const program = await addProgram();
			for (const parameters of [{}, { scope: "tasks:read" }] as const) {
				const refused = await answer(program, parameters, []);
				assert.deepEqual([refused.to.origin, refused.error], [new URL(CALLBACK).origin, "invalid_scope"]);
				assert.match(refused.text ?? "", /scope openid, or name an API in resource/);
				const { url } = await request(program, parameters, []);
				await assert.rejects(
					client.buildAuthorizationUrlWithPAR(program.party, url.searchParams),
					INVALID_SCOPE,
				);
			}
		});
	});

	describe("a request for several APIs", () => {
		it("counts a scope for each API that has it, in the consent and in the tokens", async () => {
			const program = await addProgram();
			await hold(["tasks:read", "shared:read"]);
			await hold(["shared:read"], notes);
			const both = [TASKS, NOTES];
			const { apis } = await shown(program, { scope: "tasks:read shared:read" }, both);
			assert.deepEqual(apis, { [TASKS]: ["shared:read", "tasks:read"], [NOTES]: ["shared:read"] });
			const tokens = await redeem(program, "tasks:read shared:read", both);
			assert.deepEqual(scopesOf(tokens.scope), ["shared:read", "tasks:read"]);
			const other = await refresh(program, tokens.refresh_token, { resource: NOTES });
			assert.equal(scopeIn(other.access_token), "shared:read");
		});
	});

	describe("the consent", () => {
		it("is remembered by API, and the next request asks only for what is new", async () => {
			const program = await addProgram();
			await hold(["tasks:read", "tasks:write", "shared:read"]);
			await hold(["notes:read", "shared:read"], notes);
			await redeem(program, "tasks:read");
			assert.equal((await answer(program, { scope: "tasks:read" })).to.origin, new URL(CALLBACK).origin);
			assert.equal((await answer(program, { scope: "tasks:read tasks:write" })).to.pathname, "/consent");
			await redeem(program, "tasks:write");
			const both = { scope: "tasks:read tasks:write" };
			assert.equal((await answer(program, both)).to.origin, new URL(CALLBACK).origin);
			await redeem(program, "shared:read notes:read", [NOTES]);
			const elsewhere = await answer(program, { scope: "shared:read" });
			assert.equal(elsewhere.to.pathname, "/consent", "allowed at the other API only");
			const listed = await service.call<{ data: { application: { id: string }; api_scopes: unknown }[] }>(
				"GET",
				"/api/v1/users/me/consents",
				{ token: session },
			);
			assert.deepEqual(
				listed.body.data.find(({ application }) => application.id === program.id)?.api_scopes,
				[
					{ resource: TASKS, scopes: ["tasks:read", "tasks:write"] },
					{ resource: NOTES, scopes: ["notes:read", "shared:read"] },
				],
			);
		});

		it("asks again for a permission that the API got since, if the program asks for all", async () => {
			const resource = "https://growing.example/mcp";
			const api = await connect(service, { resource });
			await addRole(service, api.id, "first", ["a:read"]);
			const program = await addProgram({ allowedResources: [resource] });
			await redeem(program, undefined, [resource]);
			assert.equal((await answer(program, {}, [resource])).to.origin, new URL(CALLBACK).origin);
			await addRole(service, api.id, "second", ["b:read"]);
			assert.equal((await answer(program, {}, [resource])).to.pathname, "/consent");
		});

		it("ends all tokens when it is withdrawn, and a denial returns access_denied", async () => {
			const program = await addProgram();
			await hold(["tasks:read"]);
			const tokens = await redeem(program, "tasks:read");
			const [consent] = await rows<{ id: string }>(
				service,
				`SELECT id FROM oauth_consents WHERE client_id = '${program.id}'`,
			);
			const path = `/api/v1/users/me/consents/${consent?.id}`;
			assert.equal((await service.call("DELETE", path, { token: session })).status, 204);
			await assert.rejects(refresh(program, tokens.refresh_token), { error: "invalid_grant" });
			const asked = await shown(program, { scope: "tasks:read" });
			const denied = await proceed(browser, asked.id, undefined, "deny");
			const back = await browser.go(denied.body.data.redirect_to);
			assert.equal(new URL(back.headers.location ?? "").searchParams.get("error"), "access_denied");
		});
	});

	describe("the gate of the API", () => {
		it("refuses an issued token from the request on at which the user may no longer do what it is for", async () => {
			const rules = [{ path: "/*", needs: "tasks:read" }];
			const gate = (await addGate(service, { rules }, tasks.id)) as KeyedGate;
			const program = await addProgram();
			await hold(["tasks:read"]);
			const { access_token } = await redeem(program, "tasks:read");
			const headers = { authorization: `Bearer ${access_token}` };
			const decides = async (outcome: string) =>
				assert.equal((await ask(service, gate, "/", { headers })).outcome, outcome);
			const passes = () => decides(`200 person:${ada.id}`);
			await passes();
			const other = await hold(["tasks:write"]);
			await decides("403 application.access_denied");

			// Another process, such as a command beside the service.
			await using beside = await openBeside(service);
			const changeRole = (permissions: readonly string[]) =>
				beside.engine.queries.run(
					"UPDATE application_roles SET permissions = $1 WHERE id = $2",
					JSON.stringify(permissions),
					other.id,
				);
			await changeRole(["tasks:read"]);
			await passes();
			await changeRole([]);
			await decides("403 application.access_denied");
			await changeRole(["tasks:read"]);

			const requireFactor = (require_mfa: boolean) =>
				service.asAdmin("PATCH", `/api/v1/applications/${tasks.id}`, { require_mfa });
			await requireFactor(true);
			await decides("401 mfa.required");
			await requireFactor(false);
			await passes();
			const consents = await service.call("GET", "/api/v1/users/me/consents", { token: session });
			const consent = consents.body.data.find(({ application }) => application.id === program.id);
			const path = `/api/v1/users/me/consents/${consent?.id}` as const;
			assert.equal((await service.call("DELETE", path, { token: session })).status, 204);
			await decides("401 token.invalid");
		});
	});

	describe("introspection", () => {
		it("returns the scopes that the user still has", async () => {
			const program = await addProgram();
			await hold(["tasks:read", "tasks:write"]);
			const { access_token: token } = await redeem(program, "tasks:read tasks:write");
			const introspected = async () => (await client.tokenIntrospection(program.party, token)).scope;
			assert.equal(await introspected(), "tasks:read tasks:write");
			await hold(["tasks:write", "shared:read"]);
			assert.equal(await introspected(), "tasks:write");
			await hold([]);
			assert.equal(await introspected(), undefined);
		});
	});

	describe("a service", () => {
		it("gets the scopes of its roles, all or those that it names", async () => {
			const worker = await addProgram({ type: "service" });
			const get = (scope?: string) =>
				client.clientCredentialsGrant(worker.party, {
					resource: TASKS,
					...(scope === undefined ? {} : { scope }),
				});
			const without = await get();
			assert.deepEqual([without.scope, scopeIn(without.access_token)], [undefined, undefined]);
			await assert.rejects(get("tasks:read"), INVALID_SCOPE);
			const role = await addRole(service, tasks.id, "worker", ["tasks:*"]);
			const path = `/api/v1/applications/${tasks.id}/grants/programs/${worker.id}`;
			await service.asAdmin("PUT", path, { roles: [role.id] });
			const all = await get();
			assert.deepEqual([all.scope, scopeIn(all.access_token)], ["tasks:read tasks:write", all.scope]);
			assert.equal((await get("tasks:write shared:read unknown")).scope, "tasks:write");
			for (const scope of ["shared:read", "openid", "unknown"])
				await assert.rejects(get(scope), INVALID_SCOPE);
			await service.asAdmin("DELETE", path);
			const seen = await client.tokenIntrospection(worker.party, all.access_token);
			assert.deepEqual([seen.active, seen.scope], [true, undefined]);
		});
	});

	describe("a permission with the name of an OpenID scope", () => {
		const path = () => `/api/v1/applications/${tasks.id}/roles`;

		it("returns 400 in a new role, and in a role that does not have it", async () => {
			for (const name of ["openid", "profile", "email", "roles", "offline_access"]) {
				const body = { name: `bad-${name}`, permissions: ["a:b", name] };
				const created = await service.callAsAdmin<{ errors: unknown }>("POST", path(), { body });
				assert.equal(created.status, 400);
				assert.match(JSON.stringify(created.body), /permissions\.1.*is the name of an OpenID scope/);
			}
			const role = await addRole(service, tasks.id, "plain", ["a:b"]);
			const body = { permissions: ["a:b", "email"] };
			const changed = await service.callAsAdmin("PATCH", `${path()}/${role.id}`, { body });
			assert.equal(changed.status, 400);
		});

		it("is no scope where it exists, and its role can be changed", async () => {
			const role = await hold(["tasks:read", "a:b"]);
			const stored = JSON.stringify(["tasks:read", "profile"]);
			await using beside = await openBeside(service);
			const sql = "UPDATE application_roles SET permissions = $1 WHERE id = $2";
			await beside.engine.queries.run(sql, stored, role.id);
			const program = await addProgram();
			const { apis, scopes } = await shown(program, { scope: "profile tasks:read" });
			assert.deepEqual([scopes, apis], [["profile"], { [TASKS]: ["tasks:read"] }]);
			const body = { permissions: ["profile", "tasks:write"] };
			const changed = await service.asAdmin(
				"PATCH",
				`/api/v1/applications/${tasks.id}/roles/${role.id}`,
				body,
			);
			assert.deepEqual(changed.permissions, ["profile", "tasks:write"]);
		});
	});
});

const scopesOf = (scope: string | undefined) => (scope ?? "").split(" ").sort();
