// Clients of the FAPI 2.0 Security Profile, and claims that an administrator sets.

import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { decodeJwt, decodeProtectedHeader, exportJWK, importJWK, type JWK } from "jose";
import * as client from "openid-client";
import { CLAIM_VALUE_MAX } from "../../src/domain/oauth-client.ts";
import { APPLICATIONS, problemOf } from "../harness/access/applications.ts";
import { type ClientKey, keySettings, makeClientKey } from "../harness/openid/client-assertion.ts";
import { makeProofKey } from "../harness/openid/dpop-proof.ts";
import {
	CALLBACK,
	type ConnectedClient,
	completeAuthorization,
	connect,
	exchange,
	obtainTokens,
	openIdService,
	relyingParty,
	signedInBrowser,
	startAuthorization,
	type TestBrowser,
} from "../harness/openid/openid.ts";
import { addPerson, type Person } from "../harness/people/people.ts";
import { addDirectory } from "../harness/providers/directories.ts";

const ENTERPRISE = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User";

describe("a client", () => {
	const service = openIdService();
	let ada: Person;
	let browser: TestBrowser;
	let session: string;
	before(async () => {
		ada = await addPerson(service, "ada", { display_name: "Ada Lovelace" });
		({ browser, token: session } = await signedInBrowser(service, ada));
	});
	const put = (id: string, body: object) =>
		problemOf(service, "PUT", `${APPLICATIONS}/${id}/oauth-client`, body);

	describe("of the profile fapi2", () => {
		let key: ClientKey;
		let bank: ConnectedClient;
		let party: client.Configuration;
		before(async () => {
			key = await makeClientKey();
			const fields = { profile: "fapi2", firstParty: true, responseModes: ["query"] } as const;
			bank = await connect(service, { ...fields, ...keySettings(key.publicJwk) });
			party = await relyingParty(service, bank, client.PrivateKeyJwt(key.privateKey));
		});

		it("is refused with every setting that contradicts, named at once", async () => {
			const { id } = await connect(service);
			const body = { type: "native", profile: "fapi2", id_token_alg: "RS256", device_flow: true };
			assert.deepEqual((await put(id, body)).fields, ["type", "auth_method", "id_token_alg", "device_flow"]);
			const web = { type: "web", profile: "fapi2", pkce: "off", response_modes: ["form_post"] };
			assert.deepEqual((await put(id, web)).fields, ["auth_method", "pkce", "response_modes"]);
			const keys = { auth_method: "private_key_jwt", jwks: { keys: [key.publicJwk] } };
			assert.ok((await put(id, { type: "web", profile: "fapi2", ...keys })).status < 300);
		});

		it("loses what a PUT omits, and never keeps a setting that contradicts", async () => {
			const { id } = await connect(service, {
				pkce: "off",
				idTokenAlg: "RS256",
				responseModes: ["form_post"],
			});
			const settings = async () => {
				const shown = await service.asAdmin("GET", `${APPLICATIONS}/${id}/oauth-client`);
				const { profile, claims, id_token_alg, pkce, response_modes } = shown;
				return { profile, claims, id_token_alg, pkce, response_modes };
			};
			const keys = { auth_method: "private_key_jwt", jwks: { keys: [key.publicJwk] } };
			const claims = [{ name: "code", from: "constant", value: "acme" }];
			assert.equal((await put(id, { type: "web", profile: "fapi2", claims, ...keys })).status, 200);
			const strict = { id_token_alg: "ES256", pkce: "required", response_modes: ["query"] };
			assert.deepEqual(await settings(), { profile: "fapi2", claims, ...strict });
			assert.equal((await put(id, { type: "web", ...keys })).status, 200);
			assert.deepEqual(await settings(), { profile: "none", claims: [], ...strict });
			const pss = { ...strict, id_token_alg: "PS256" };
			assert.equal((await put(id, { type: "web", profile: "fapi2", ...pss, ...keys })).status, 200);
			assert.equal((await put(id, { type: "web", profile: "fapi2", ...keys })).status, 200);
			assert.deepEqual(await settings(), { profile: "fapi2", claims: [], ...pss });
		});

		it("pushes its requests, binds its tokens, and keeps its refresh token", async () => {
			const asked = await startAuthorization(party, { scope: "openid offline_access" });
			const direct = await browser.go(String(asked.url));
			assert.match(JSON.stringify(direct.body) + direct.headers.location, /[Pp]ushed|invalid_request/);
			const parameters = Object.fromEntries(asked.url.searchParams);
			const DPoP = client.getDPoPHandle(party, await makeProofKey());
			const pushed = await client.buildAuthorizationUrlWithPAR(party, {
				...parameters,
				redirect_uri: CALLBACK,
			});
			const returned = await completeAuthorization(browser, pushed, session);
			assert.ok(returned.searchParams.get("iss"));
			const tokens = await exchange(party, returned, asked, { DPoP });
			assert.equal(tokens.token_type.toLowerCase(), "dpop");
			const first = tokens.refresh_token ?? "";
			for (let use = 0; use < 3; use++) {
				const refreshed = await client.refreshTokenGrant(party, first, {}, { DPoP });
				assert.equal(refreshed.token_type.toLowerCase(), "dpop");
				assert.ok([undefined, first].includes(refreshed.refresh_token));
			}
			await assert.rejects(client.refreshTokenGrant(party, first));
		});

		it("gets ID tokens with PS256 if it asks for them", async () => {
			const fields = { profile: "fapi2", firstParty: true, responseModes: ["query"] } as const;
			const own = await connect(service, { ...fields, idTokenAlg: "PS256", ...keySettings(key.publicJwk) });
			const metadata = { id_token_signed_response_alg: "PS256" };
			const asOwn = await relyingParty(service, own, client.PrivateKeyJwt(key.privateKey), metadata);
			// Verifies the signature, which code flow otherwise leaves to TLS.
			client.enableNonRepudiationChecks(asOwn);
			const asked = await startAuthorization(asOwn, { scope: "openid" });
			const parameters = Object.fromEntries(asked.url.searchParams);
			const pushed = await client.buildAuthorizationUrlWithPAR(asOwn, parameters);
			const returned = await completeAuthorization(browser, pushed, session);
			const DPoP = client.getDPoPHandle(asOwn, await makeProofKey());
			const tokens = await exchange(asOwn, returned, asked, { DPoP });
			assert.equal(decodeProtectedHeader(tokens.id_token ?? "").alg, "PS256");
		});

		it("authenticates with PS256 and EdDSA, and never with RS256", async () => {
			const rsa = await makeClientKey("PS256");
			const { alg: _, ...anyAlg } = rsa.publicJwk;
			const fields = { profile: "fapi2", responseModes: ["query"] } as const;
			const { id } = bank;
			const body = { type: "web", profile: "fapi2", auth_method: "private_key_jwt", pkce: "off" };
			const named = await put(id, { ...body, jwks: { keys: [{ ...anyAlg, alg: "RS256" }] } });
			assert.deepEqual(named.fields, ["jwks.keys", "pkce"]);
			const push = async (privateKey: CryptoKey, publicJwk: JWK) => {
				const own = await connect(service, { ...fields, ...keySettings(publicJwk) });
				const asOwn = await relyingParty(service, own, client.PrivateKeyJwt(privateKey));
				const asked = await startAuthorization(asOwn, { scope: "openid" });
				return client.buildAuthorizationUrlWithPAR(asOwn, Object.fromEntries(asked.url.searchParams));
			};
			for (const alg of ["PS256", "EdDSA", "ES256"]) {
				const { privateKey, publicJwk } = await makeClientKey(alg);
				// openid-client signs with `Ed25519` of RFC 9864, which a key with the alg `EdDSA` does not verify.
				const { alg: _, ...jwk } = publicJwk;
				await push(privateKey, jwk);
			}
			await push(rsa.privateKey, anyAlg);
			const asRs256 = (await importJWK(await exportJWK(rsa.privateKey), "RS256")) as CryptoKey;
			await assert.rejects(push(asRs256, anyAlg), { error: "invalid_client" });
		});

		it("gets no token without a proof of possession", async () => {
			const asked = await startAuthorization(party, { scope: "openid" });
			const parameters = Object.fromEntries(asked.url.searchParams);
			const pushed = await client.buildAuthorizationUrlWithPAR(party, parameters);
			const returned = await completeAuthorization(browser, pushed, session);
			await assert.rejects(exchange(party, returned, asked));
		});
	});

	describe("with claims", () => {
		it("gets attributes, groups, and constants in the ID token and from UserInfo", async () => {
			const group = await service.asAdmin("POST", "/api/v1/groups", { name: "Editors" });
			await service.asAdmin("PUT", `/api/v1/groups/${group.id}/members/${ada.id}`, {});
			const claims = [
				{ name: "login", from: "attribute", value: "username" },
				{ name: "shown", from: "attribute", value: "display_name" },
				{ name: "picture_url", from: "attribute", value: "avatar_url" },
				{ name: "is_editor", from: "group", value: "Editors" },
				{ name: "is_owner", from: "group", value: "Owners" },
				{ name: "https://shop.example/code", from: "constant", value: "acme" },
			] as const;
			const expected = {
				login: "ada",
				shown: "Ada Lovelace",
				is_editor: true,
				"https://shop.example/code": "acme",
			};
			const shop = await connect(service, { firstParty: true, claims });
			const party = await relyingParty(service, shop);
			const tokens = await obtainTokens(party, browser, session, { scope: "openid" });
			const userinfo = await client.fetchUserInfo(party, tokens.access_token, ada.id);
			for (const found of [decodeJwt(tokens.id_token ?? ""), userinfo] as Record<string, unknown>[]) {
				const own = claims.flatMap(({ name }) => (name in found ? [[name, found[name]]] : []));
				assert.deepEqual(Object.fromEntries(own), expected);
				assert.equal(found.sub, ada.id);
				assert.equal("latchkey_claims" in found, false);
			}
		});

		it("gets the department and the manager of a directory, and none that is no text or too long", async () => {
			const claims = [
				{ name: "unit", from: "attribute", value: "department" },
				{ name: "boss", from: "attribute", value: "manager" },
			] as const;
			const staff = await connect(service, { firstParty: true, claims });
			const party = await relyingParty(service, staff);
			const person = await addPerson(service, "employee");
			const { browser: own, token: signedIn } = await signedInBrowser(service, person);
			const claimed = async () => {
				const tokens = await obtainTokens(party, own, signedIn, { scope: "openid" });
				const userinfo = await client.fetchUserInfo(party, tokens.access_token, person.id);
				const found = decodeJwt(tokens.id_token ?? "");
				assert.deepEqual([userinfo.unit, userinfo.boss], [found.unit, found.boss]);
				return [found.unit, found.boss];
			};
			assert.deepEqual(await claimed(), [undefined, undefined]);
			const directory = await addDirectory(service);
			const account = { provider: directory.provider, provider_user_id: "e-1" };
			await service.asAdmin("POST", `/api/v1/users/${person.id}/third-party-accounts`, account);
			const adopted = await directory.person("employee@corp.example", {
				externalId: "e-1",
				[ENTERPRISE]: { department: "R&D", manager: { value: ada.id, displayName: "Ada" } },
			});
			assert.equal(adopted.id, person.id);
			assert.deepEqual(await claimed(), ["R&D", ada.id]);
			const replace = async (name: string, value: unknown) => {
				const change = { op: "Replace", path: `${ENTERPRISE}:${name}`, value };
				assert.equal((await directory.patch(`Users/${person.id}`, change)).status, 200);
			};
			await replace("department", "D".repeat(CLAIM_VALUE_MAX + 1));
			await replace("manager", "7");
			assert.deepEqual(await claimed(), [undefined, "7"]);
			await replace("department", ["Sales", 7]);
			await replace("manager", { displayName: "Ada" });
			assert.deepEqual(await claimed(), ["Sales", undefined]);
			await replace("department", { sub: "forged" });
			assert.deepEqual(await claimed(), [undefined, undefined]);
		});

		it("cannot replace a registered claim, name one twice, or read other attributes", async () => {
			const { id } = await connect(service);
			const of = async (...claims: object[]) => (await put(id, { type: "web", claims })).fields;
			for (const name of ["sub", "iss", "aud", "email", "roles", "acr", "__proto__", "constructor", "act"]) {
				const fields = await of({ name, from: "constant", value: "x" });
				assert.deepEqual(fields, ["claims.0.name"], name);
			}
			const one = { name: "one", from: "constant", value: "x" };
			assert.deepEqual(await of(one, one), ["claims.1.name"]);
			assert.deepEqual(await of({ name: "two", from: "attribute", value: "password_hash" }), [
				"claims.0.value",
			]);
			assert.deepEqual(await of({ name: "two", from: "code", value: "x" }), ["claims.0.from"]);
			const many = Array.from({ length: 21 }, (_, index) => ({ ...one, name: `c${index}` }));
			assert.deepEqual(await of(...many), ["claims"]);
		});
	});
});
