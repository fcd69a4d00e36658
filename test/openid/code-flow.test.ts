import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import * as client from "openid-client";
import { addRole, putGrant } from "../harness/access/applications.ts";
import { until } from "../harness/databases/ledger.ts";
import {
	CALLBACK,
	completeAuthorization,
	connect,
	exchange,
	ISSUER,
	idOf,
	obtainTokens,
	openIdService,
	proceed,
	relyingParty,
	signedInBrowser,
	startAuthorization,
	TestBrowser,
} from "../harness/openid/openid.ts";
import { addPerson, auditOf, type Person } from "../harness/people/people.ts";
import { claimsOf } from "../harness/people/second-factors.ts";

describe("the authorization code flow", () => {
	const service = openIdService();
	let ada: Person;
	before(async () => {
		ada = await addPerson(service, "ada", { display_name: "Ada Lovelace" });
	});

	it("does not exist before the first client does, but can be discovered", async () => {
		assert.equal((await service.call("GET", "/oauth/authorize", { https: true })).status, 404);
		const headers = { "content-type": "application/x-www-form-urlencoded" };
		const form = await service.call("POST", "/oauth/authorize", {
			https: true,
			body: "client_id=x",
			headers,
		});
		assert.equal(form.status, 404);
		for (const name of ["openid-configuration", "oauth-authorization-server"]) {
			const { status, body } = await service.call<{ issuer: string }>("GET", `/.well-known/${name}`);
			assert.deepEqual([status, body.issuer], [200, ISSUER]);
		}
	});

	it("records when a user last signed in to the application", async () => {
		const before = new Date(service.clock.now()).toISOString();
		const shop = await connect(service, { firstParty: true });
		const { browser, token } = await signedInBrowser(service, ada);
		await obtainTokens(await relyingParty(service, shop), browser, token);
		const lastSignIn = async () => {
			const path = `/api/v1/applications/${shop.id}` as const;
			return (await service.asAdmin("GET", path)).last_sign_in_at;
		};
		await until("the sign-in is recorded", async () => (await lastSignIn()) !== null);
		assert.ok(((await lastSignIn()) ?? "") >= before);
	});

	it("signs a user in: sign-in page, consent page, tokens, claims", async () => {
		const shop = await connect(service);
		const role = await addRole(service, shop.id, "seller", ["orders:read"]);
		await putGrant(service, shop.id, ada.id, [role.id]);
		const party = await relyingParty(service, shop);
		const browser = new TestBrowser(service);
		const asked = await startAuthorization(party, {
			scope: "openid profile email roles offline_access",
			login_hint: "ada",
		});

		const toSignIn = await browser.go(asked.url.href);
		assert.equal(toSignIn.status, 303, JSON.stringify(toSignIn.body));
		assert.match(toSignIn.headers.location ?? "", /^https:\/\/login\.example\/sign-in\?interaction=[\w-]+$/);
		const shown = await browser.go(`/api/v1/auth/interactions/${idOf(toSignIn.headers.location)}`);
		assert.deepEqual(
			{ ...(shown.body as { data: object }).data, application: undefined, tenant: undefined },
			{
				prompt: "login",
				application: undefined,
				tenant: undefined,
				program: null,
				redirect_scheme: "",
				first_party: false,
				scopes: ["openid", "profile", "email", "roles", "offline_access"],
				resources: [],
				apis: [],
				login_hint: "ada",
				ui_locales: [],
				select_account: false,
				sign_in_again: false,
				second_factor: false,
			},
		);
		const token = await browser.signIn(ada.username, ada.password);
		const continued = await proceed(browser, idOf(toSignIn.headers.location), token);
		assert.equal(continued.status, 200, JSON.stringify(continued.body));
		const toConsent = await browser.go(continued.body.data.redirect_to);
		assert.match(toConsent.headers.location ?? "", /^https:\/\/login\.example\/consent\?interaction=/);
		const returned = await completeAuthorization(browser, asked.url, token);
		assert.equal(returned.href.startsWith(`${CALLBACK}?`), true);
		assert.equal(returned.searchParams.get("iss"), ISSUER);

		const tokens = await exchange(party, returned, asked);
		const claims = tokens.claims();
		assert.equal(claims?.sub, ada.id);
		assert.deepEqual(
			[claims?.name, claims?.preferred_username, claims?.email, claims?.email_verified],
			["Ada Lovelace", "ada", ada.email, false],
		);
		assert.deepEqual([claims?.roles, claims?.permissions, claims?.groups], [["seller"], ["orders:read"], []]);
		assert.deepEqual(claims?.amr, ["pwd"]);
		assert.equal(typeof claims?.auth_time, "number");
		assert.equal(claims?.sid, claimsOf(token).sid);
		const info = await client.fetchUserInfo(party, tokens.access_token, ada.id);
		assert.deepEqual([info.name, info.roles], ["Ada Lovelace", ["seller"]]);
		assert.equal(typeof tokens.refresh_token, "string");
		const events = (await auditOf(service, `user:${ada.id}`)).filter(
			({ action }) => action === "oauth.consented",
		);
		assert.equal(events.length, 1);
	});

	it("asks for consent once, and never for a first-party application", async () => {
		const { browser, token } = await signedInBrowser(service, ada);
		const party = await relyingParty(service, await connect(service));
		await obtainTokens(party, browser, token);
		const again = await browser.go((await startAuthorization(party)).url.href);
		assert.equal(new URL(again.headers.location ?? "").origin, new URL(CALLBACK).origin);
		const more = await browser.go(
			(await startAuthorization(party, { scope: "openid offline_access", prompt: "consent" })).url.href,
		);
		assert.match(more.headers.location ?? "", /\/consent\?/);
		const own = await relyingParty(service, await connect(service, { firstParty: true }));
		const direct = await browser.go((await startAuthorization(own)).url.href);
		assert.equal(new URL(direct.headers.location ?? "").origin, new URL(CALLBACK).origin);
	});

	it("asks once per browser session for a first-party native application, at any loopback port", async () => {
		const settings = { type: "native", authMethod: "none", firstParty: true } as const;
		const tool = await connect(service, settings, { redirect_uris: ["http://127.0.0.1/back"] });
		const party = await relyingParty(service, tool, client.None());
		const at = (port: number) => ({ redirect_uri: `http://127.0.0.1:${port}/back` });
		const seenAt = async (browser: TestBrowser, port: number, more = {}) => {
			const { url } = await startAuthorization(party, { ...at(port), ...more });
			return new URL((await browser.go(url.href)).headers.location ?? "");
		};
		const asks = async (browser: TestBrowser, port: number) => {
			const { origin, pathname } = await seenAt(browser, port);
			assert.ok([`${ISSUER}/consent`, `http://127.0.0.1:${port}/back`].includes(origin + pathname));
			return pathname === "/consent";
		};
		const bea = await addPerson(service, "bea");
		const [browser, other] = [new TestBrowser(service), new TestBrowser(service)];
		const token = await browser.signIn(bea.username, bea.password);
		await other.signIn(bea.username, bea.password);
		assert.equal(await asks(browser, 4_001), true);
		const silent = await seenAt(browser, 4_001, { prompt: "none" });
		assert.equal(silent.searchParams.get("error"), "interaction_required");
		const unasked = await seenAt(browser, 4_001);
		const denied = `/api/v1/auth/interactions/${idOf(unasked.href)}/deny`;
		assert.equal((await browser.post(denied, undefined)).status, 200);
		assert.equal(await asks(browser, 4_001), true);

		const tokens = await obtainTokens(party, browser, token, at(4_001));
		assert.equal(tokens.claims()?.sub, bea.id);
		assert.equal(await asks(browser, 4_001), false);
		assert.equal(await asks(browser, 4_002), false);
		assert.equal(await asks(other, 4_001), true);
		const consents = await service.call("GET", "/api/v1/users/me/consents", { token });
		assert.equal(consents.body.total, 0);
		const again = await browser.signIn(bea.username, bea.password);
		assert.equal(await asks(browser, 4_001), true);
		await obtainTokens(party, browser, again, at(4_001));
		assert.equal(await asks(browser, 4_001), false);
		const elsewhere = await relyingParty(
			service,
			await connect(service, settings, {
				redirect_uris: ["http://127.0.0.1/back"],
			}),
			client.None(),
		);
		const { url } = await startAuthorization(elsewhere, at(4_001));
		assert.match((await browser.go(url.href)).headers.location ?? "", /\/consent\?/);
	});

	it("serves public clients, refreshes and revokes", async () => {
		const app = await connect(service, { type: "spa", authMethod: "none", firstParty: true });
		const party = await relyingParty(service, app, client.None());
		const { browser, token } = await signedInBrowser(service, ada);
		const first = await obtainTokens(party, browser, token);
		const second = await client.refreshTokenGrant(party, first.refresh_token ?? "");
		assert.notEqual(second.refresh_token, first.refresh_token);
		assert.equal(second.claims()?.sub, ada.id);
		await client.tokenRevocation(party, second.access_token);
		await assert.rejects(client.fetchUserInfo(party, second.access_token, ada.id));
		await client.fetchUserInfo(party, first.access_token, ada.id);
		await client.tokenRevocation(party, second.refresh_token ?? "");
		await assert.rejects(client.refreshTokenGrant(party, second.refresh_token ?? ""), {
			error: "invalid_grant",
		});
		await assert.rejects(client.fetchUserInfo(party, first.access_token, ada.id));
	});

	it("lists exactly the supported features in the discovery document", async () => {
		await connect(service);
		const found = await Promise.all(
			["openid-configuration", "oauth-authorization-server"].map((name) =>
				service.call<Record<string, unknown>>("GET", `/.well-known/${name}`, { https: true }),
			),
		);
		assert.deepEqual(found[0]?.body, found[1]?.body);
		assert.deepEqual(found[0]?.body, {
			acr_values_supported: ["http://schemas.openid.net/pape/policies/2007/06/multi-factor"],
			authorization_endpoint: `${ISSUER}/oauth/authorize`,
			authorization_grant_profiles_supported: ["urn:ietf:params:oauth:grant-profile:id-jag"],
			authorization_response_iss_parameter_supported: true,
			backchannel_logout_session_supported: true,
			backchannel_logout_supported: true,
			claim_types_supported: ["normal"],
			claims_parameter_supported: false,
			claims_supported: (
				"sub auth_time acr amr sid name preferred_username picture locale updated_at email email_verified " +
				"roles permissions groups iss"
			).split(" "),
			code_challenge_methods_supported: ["S256"],
			device_authorization_endpoint: `${ISSUER}/oauth/device-authorization`,
			dpop_signing_alg_values_supported: ["ES256", "Ed25519", "EdDSA"],
			end_session_endpoint: `${ISSUER}/oauth/end-session`,
			grant_types_supported: [
				"authorization_code",
				"refresh_token",
				"client_credentials",
				"urn:ietf:params:oauth:grant-type:device_code",
				"urn:ietf:params:oauth:grant-type:token-exchange",
				"urn:ietf:params:oauth:grant-type:jwt-bearer",
			],
			identity_chaining_requested_token_types_supported: ["urn:ietf:params:oauth:token-type:id-jag"],
			id_token_signing_alg_values_supported: ["ES256", "RS256", "PS256"],
			introspection_endpoint: `${ISSUER}/oauth/introspect`,
			issuer: ISSUER,
			jwks_uri: `${ISSUER}/.well-known/jwks.json`,
			prompt_values_supported: ["none", "login", "consent", "select_account"],
			pushed_authorization_request_endpoint: `${ISSUER}/oauth/par`,
			request_uri_parameter_supported: false,
			response_modes_supported: ["form_post", "fragment", "query"],
			response_types_supported: ["code"],
			revocation_endpoint: `${ISSUER}/oauth/revoke`,
			scopes_supported: ["openid", "profile", "email", "roles", "offline_access"],
			subject_types_supported: ["public"],
			token_endpoint: `${ISSUER}/oauth/token`,
			token_endpoint_auth_methods_supported: [
				"client_secret_basic",
				"client_secret_post",
				"private_key_jwt",
				"none",
			],
			token_endpoint_auth_signing_alg_values_supported: ["ES256", "RS256", "PS256", "EdDSA", "Ed25519"],
			userinfo_endpoint: `${ISSUER}/oauth/userinfo`,
		});
	});

	it("returns access_denied if the user declines", async () => {
		const party = await relyingParty(service, await connect(service));
		const browser = new TestBrowser(service);
		const asked = await startAuthorization(party);
		const id = idOf((await browser.go(asked.url.href)).headers.location);
		const denied = await proceed(browser, id, undefined, "deny");
		const back = new URL((await browser.go(denied.body.data.redirect_to)).headers.location ?? "");
		assert.deepEqual(
			[back.searchParams.get("error"), back.searchParams.get("state")],
			["access_denied", asked.state],
		);
	});
});
