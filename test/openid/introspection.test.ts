import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import * as client from "openid-client";
import { ACCESS_TOKEN_SECONDS, REFRESH_GRACE_SECONDS } from "../../src/domain/session.ts";
import { SECOND_MS } from "../../src/kernel/clock.ts";
import {
	basicAuth,
	type ConnectedClient,
	completeAuthorization,
	connect,
	exchange,
	ISSUER,
	obtainTokens,
	openIdService,
	postForm,
	relyingParty,
	signedInBrowser,
	startAuthorization,
} from "../harness/openid/openid.ts";
import { addPerson } from "../harness/people/people.ts";
import { addSecondTenant } from "../harness/people/second-tenant.ts";

const API = "https://orders.example/api";
const INACTIVE = { active: false };

describe("introspection", () => {
	const service = openIdService();
	let worker: ConnectedClient;
	let asWorker: client.Configuration;
	let asApi: client.Configuration;
	before(async () => {
		const api = await connect(service, { resource: API });
		worker = await connect(service, { type: "service", allowedResources: [API] });
		asApi = await relyingParty(service, api);
		asWorker = await relyingParty(service, worker);
	});

	const tokenOf = async (party: client.Configuration, resource = API): Promise<string> =>
		(await client.clientCredentialsGrant(party, { resource })).access_token;
	const isActive = async (party: client.Configuration, token: string): Promise<boolean> =>
		(await client.tokenIntrospection(party, token)).active;
	const disable = ({ id }: ConnectedClient) =>
		service.asAdmin("PATCH", `/api/v1/applications/${id}`, { status: "disabled" });

	it("returns the claims of the token to the service and the API", async () => {
		const token = await tokenOf(asWorker);
		for (const party of [asWorker, asApi])
			for (const hint of ["access_token", "refresh_token", undefined]) {
				const { exp, iat, jti, tenant_id, ...said } = await client.tokenIntrospection(
					party,
					token,
					hint === undefined ? undefined : { token_type_hint: hint },
				);
				assert.deepEqual(said, {
					active: true,
					iss: ISSUER,
					sub: worker.id,
					client_id: worker.id,
					aud: API,
					token_type: "Bearer",
				});
				assert.equal(Number(exp) - Number(iat), ACCESS_TOKEN_SECONDS);
				assert.deepEqual([typeof jti, typeof tenant_id], ["string", "string"]);
			}
	});

	it("is inactive for other clients, clients of another tenant, and public clients", async () => {
		const token = await tokenOf(asWorker);
		const beside = await connect(service, { type: "service", allowedResources: [API] });
		assert.deepEqual(await client.tokenIntrospection(await relyingParty(service, beside), token), INACTIVE);
		const second = await addSecondTenant(service);
		const theirs = await connect(service, {}, {}, second);
		assert.deepEqual(await client.tokenIntrospection(await relyingParty(service, theirs), token), INACTIVE);
		const spa = await connect(service, { type: "spa", authMethod: "none", resource: "urn:example:spa" });
		const asSpa = await relyingParty(service, spa, client.None());
		assert.deepEqual(await client.tokenIntrospection(asSpa, token), INACTIVE);
		const mine = await connect(service, { type: "service", allowedResources: ["urn:example:spa"] });
		const forSpa = await tokenOf(await relyingParty(service, mine), "urn:example:spa");
		assert.deepEqual(await client.tokenIntrospection(asSpa, forSpa), INACTIVE);
	});

	it("refuses unknown clients and wrong secrets", async () => {
		const token = await tokenOf(asWorker);
		const wrong = await relyingParty(service, { ...worker, secret: "ocs_wrong" });
		await assert.rejects(client.tokenIntrospection(wrong, token), { status: 401 });
		const bare = await postForm(service, "/oauth/introspect", { token });
		assert.deepEqual([bare.status, bare.body.error], [400, "invalid_request"]);
		const headers = { accept: "text/html", authorization: basicAuth(worker) };
		const page = await postForm(service, "/oauth/introspect", { token }, headers);
		assert.deepEqual([page.status, page.body.active], [200, true]);
	});

	it("is inactive for tokens that we did not sign for an API", async () => {
		const token = await tokenOf(asWorker);
		const [header = "", payload = "", signature = ""] = token.split(".");
		const claims = JSON.parse(Buffer.from(payload, "base64url").toString()) as object;
		const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
		const longer = encode({ ...claims, exp: 9_999_999_999 });
		for (const bad of [
			`${header}.${longer}.${signature}`,
			`${encode({ alg: "none", typ: "at+jwt" })}.${payload}.`,
			`${encode({ alg: "ES256", typ: "at+jwt", kid: "unknown" })}.${payload}.${signature}`,
			`${header}.${payload}.${signature.split("").reverse().join("")}`,
			await service.adminToken(),
			"not a token",
			"a.b.c",
		])
			for (const party of [asWorker, asApi])
				assert.deepEqual(await client.tokenIntrospection(party, bad), INACTIVE, bad);
	});

	it("shows whether tokens of a user are valid, only to their application, until the session is revoked", async () => {
		const shop = await connect(service, { firstParty: true });
		const party = await relyingParty(service, shop);
		const ada = await addPerson(service, "ada");
		const { browser, token: session } = await signedInBrowser(service, ada);
		const { access_token, refresh_token = "", id_token = "" } = await obtainTokens(party, browser, session);
		const said = await client.tokenIntrospection(party, access_token);
		assert.deepEqual(
			[said.active, said.sub, said.client_id, said.scope, said.aud],
			[true, ada.id, shop.id, "openid profile email roles", undefined],
		);
		assert.equal(await isActive(party, refresh_token), true);
		assert.equal(await isActive(party, id_token), false);
		for (const token of [access_token, refresh_token])
			assert.deepEqual(await client.tokenIntrospection(asApi, token), INACTIVE);
		await browser.post("/api/v1/auth/logout", undefined, session);
		for (const token of [access_token, refresh_token])
			assert.deepEqual(await client.tokenIntrospection(party, token), INACTIVE);
	});

	it("becomes inactive before the token expires, if the service or the API is disabled", async () => {
		for (const disabled of ["service", "API"]) {
			const resource = `urn:example:ends-with-${disabled}`;
			const api = await connect(service, { resource });
			const caller = await connect(service, { type: "service", allowedResources: [resource] });
			const [asking, getting] = [await relyingParty(service, api), await relyingParty(service, caller)];
			const token = await tokenOf(getting, resource);
			assert.equal(await isActive(asking, token), true);
			await disable(disabled === "service" ? caller : api);
			assert.equal(await isActive(disabled === "service" ? asking : getting, token), false);
		}
	});

	it("returns the same with and without the library", async () => {
		const shop = await connect(service, { firstParty: true, allowedResources: [API] });
		const party = await relyingParty(service, shop);
		const ada = await addPerson(service, "paired");
		const { browser, token: session } = await signedInBrowser(service, ada);
		const DPoP = client.getDPoPHandle(party, await client.randomDPoPKeyPair("ES256"));
		const tokensFor = async (more: object, parameters: Record<string, string> = {}) => {
			const asked = await startAuthorization(party, parameters);
			const returned = await completeAuthorization(browser, asked.url, session);
			const tokens = await exchange(party, returned, asked, more);
			return [tokens.access_token, tokens.refresh_token ?? ""];
		};
		const [first = "", used = ""] = await tokensFor({});
		await client.refreshTokenGrant(party, used);
		const [, older = ""] = await tokensFor({});
		const { refresh_token: newer = "" } = await client.refreshTokenGrant(party, older);
		await client.refreshTokenGrant(party, newer);
		const tokens = [
			first,
			used,
			older,
			newer,
			...(await tokensFor({})),
			...(await tokensFor({ DPoP })),
			...(await tokensFor({ resource: API }, { resource: API })),
			...(await tokensFor({ resource: API, DPoP }, { resource: API })),
			await tokenOf(asWorker),
			"unknown",
			"a.b.c",
		];
		const encoded = Buffer.from(`${shop.id}:${shop.secret}`).toString("base64");
		const said = async (form: string, headers: Record<string, string>) => {
			const sent = { "content-type": "application/x-www-form-urlencoded", ...headers };
			const response = await service.call("POST", "/oauth/introspect", {
				https: true,
				body: form,
				headers: sent,
			});
			const { date: _, "x-request-id": __, ...received } = response.headers;
			return [response.status, received, JSON.stringify(response.body)];
		};
		const check = async (token: string): Promise<string> => {
			const basic = { authorization: `Basic ${encoded}` };
			// A parameter that only the library ignores.
			const byLibrary = await said(`token=${token}&unknown=1`, basic);
			const posted = `client_id=${shop.id}&client_secret=${shop.secret}&token=${token}`;
			assert.deepEqual(await said(`token=${token}`, basic), byLibrary);
			assert.deepEqual(await said(posted, {}), byLibrary);
			return String(byLibrary[2]);
		};
		const before = await Promise.all(tokens.map(check));
		assert.equal(before.filter((body) => body.includes('"active":true')).length, 11);
		service.clock.advance((REFRESH_GRACE_SECONDS + 1) * SECOND_MS);
		for (const token of [used, older, newer]) assert.equal(await check(token), JSON.stringify(INACTIVE));
		await browser.post("/api/v1/auth/logout", undefined, session);
		for (const token of tokens) assert.equal(await check(token), JSON.stringify(INACTIVE));
	});

	it("becomes inactive when the token expires", async () => {
		const token = await tokenOf(asWorker);
		service.clock.advance((ACCESS_TOKEN_SECONDS + 1) * SECOND_MS);
		assert.equal(await isActive(asApi, token), false);
	});
});
