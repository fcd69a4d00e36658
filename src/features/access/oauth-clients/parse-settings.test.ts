import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { describe, it } from "node:test";
import {
	AUTH_METHODS_OF_TYPE,
	CLIENT_AUTH_METHODS,
	OAUTH_CLIENT_TYPES,
	PKCE_OF_TYPE,
	PKCE_POLICIES,
	RESPONSE_MODES,
	RESPONSE_MODES_OF_TYPE,
} from "../../../domain/oauth-client.ts";
import { createAddressRule } from "../../../kernel/address-rule.ts";
import { AppError } from "../../../kernel/error.ts";
import { type GivenSettings, parseSettings } from "./parse-settings.ts";

const RULES = { publicUrl: "https://id.example.com", isWebhookAddress: createAddressRule([]) };
const parse = (given: GivenSettings) => parseSettings(given, RULES);
const key = (members: object = {}) => ({
	...generateKeyPairSync("ec", { namedCurve: "P-256" }).publicKey.export({ format: "jwk" }),
	...members,
});
const withKeys = (...keys: readonly object[]): GivenSettings => ({
	type: "web",
	authMethod: "private_key_jwt",
	jwks: { keys: keys as Record<string, unknown>[] },
});

function assertRefused(given: GivenSettings, field: string, message: RegExp): void {
	assert.throws(
		() => parse(given),
		(error) => {
			assert.ok(error instanceof AppError);
			assert.equal(error.code, "request.invalid");
			assert.deepEqual(
				error.fields.map((one) => one.field),
				[field],
			);
			assert.match(error.message, message);
			return true;
		},
		JSON.stringify(given),
	);
}

describe("parseSettings", () => {
	it("applies the defaults of each type", () => {
		for (const type of OAUTH_CLIENT_TYPES)
			assert.deepEqual(parse({ type }), {
				type,
				authMethod: type === "web" || type === "service" ? "client_secret_basic" : "none",
				postLogoutRedirectUris: [],
				backchannelLogoutUri: null,
				firstParty: false,
				idTokenAlg: "RS256",
				pkce: "required",
				deviceFlow: false,
				responseModes: RESPONSE_MODES_OF_TYPE[type],
				jwks: null,
				jwksUri: null,
				resource: null,
				allowedResources: [],
				actsForPeople: [],
				workloads: [],
				assertionAudiences: [],
				profile: "none",
				claims: [],
			});
	});

	it("accepts exactly the methods of each type", () => {
		const workloads = [{ issuerId: "issuer", subject: "repo:acme/shop", claims: {} }];
		const jwks = { keys: [key() as Record<string, unknown>] };
		for (const type of OAUTH_CLIENT_TYPES)
			for (const authMethod of CLIENT_AUTH_METHODS) {
				const given = {
					type,
					authMethod,
					...(authMethod === "private_key_jwt" && { jwks }),
					...(authMethod === "workload" && { workloads }),
				};
				if (AUTH_METHODS_OF_TYPE[type].includes(authMethod))
					assert.equal(parse(given).authMethod, authMethod);
				else assertRefused(given, "auth_method", new RegExp(`for a client of type ${type}$`));
			}
	});

	it("accepts the PKCE policies, response modes, and device flow of each type only", () => {
		for (const type of OAUTH_CLIENT_TYPES) {
			for (const pkce of PKCE_POLICIES)
				if (PKCE_OF_TYPE[type].includes(pkce)) assert.equal(parse({ type, pkce }).pkce, pkce);
				else assertRefused({ type, pkce }, "pkce", new RegExp(`for a client of type ${type}$`));
			for (const mode of type === "service" ? [] : RESPONSE_MODES)
				if (RESPONSE_MODES_OF_TYPE[type].includes(mode))
					assert.deepEqual(parse({ type, responseModes: [mode] }).responseModes, [mode]);
				else
					assertRefused({ type, responseModes: ["query", mode] }, "response_modes.1", /must be one of query/);
			if (type === "native") assert.equal(parse({ type, deviceFlow: true }).deviceFlow, true);
			else assertRefused({ type, deviceFlow: true }, "device_flow", /unless the client is of type native$/);
		}
		assertRefused({ type: "web", responseModes: [] }, "response_modes", /must not be empty/);
		assertRefused({ type: "service", responseModes: ["query"] }, "response_modes", /does not sign users in$/);
	});

	it("refuses sign-in settings for a service", () => {
		const type = "service";
		const problem = /does not sign users in$/;
		assertRefused(
			{ type, postLogoutRedirectUris: ["https://a.example/"] },
			"post_logout_redirect_uris",
			problem,
		);
		assertRefused({ type, backchannelLogoutUri: "https://a.example/" }, "backchannel_logout_uri", problem);
		assertRefused({ type, firstParty: true }, "first_party", problem);
		assert.equal(
			parse({ type, postLogoutRedirectUris: [], backchannelLogoutUri: null, firstParty: false }).type,
			type,
		);
	});

	it("requires keys in one place for private_key_jwt, and refuses them for other methods", () => {
		const jwksUri = "https://app.example.com/jwks.json";
		const authMethod = "private_key_jwt";
		assert.equal(parse({ type: "web", authMethod, jwksUri }).jwksUri, jwksUri);
		assertRefused({ type: "web", authMethod }, "jwks", /is required for auth_method private_key_jwt/);
		assertRefused({ ...withKeys(key()), jwksUri }, "jwks_uri", /must be absent if jwks is present/);
		assertRefused({ type: "web", jwksUri }, "jwks_uri", /unless auth_method is private_key_jwt/);
		assertRefused(
			{ ...withKeys(key()), authMethod: "client_secret_post" },
			"jwks",
			/unless auth_method is private_key_jwt/,
		);
		assertRefused({ type: "spa", jwksUri }, "jwks_uri", /unless auth_method is private_key_jwt/);
	});

	it("reads every key, and requires a kid for multiple keys", () => {
		const { jwks } = parse(withKeys(key({ kid: "a", x5t: "dropped" }), key({ kid: "b" })));
		assert.deepEqual(
			jwks?.keys.map(({ kid, x5t }) => [kid, x5t]),
			[
				["a", undefined],
				["b", undefined],
			],
		);
		assertRefused(withKeys(), "jwks.keys", /must contain 1 to 10 keys/);
		assertRefused(withKeys(...Array.from({ length: 11 }, key)), "jwks.keys", /must contain 1 to 10 keys/);
		assertRefused(withKeys(key({ kid: "a" }), key()), "jwks.keys.1", /must have a kid/);
		assertRefused(
			withKeys(key({ kid: "a" }), key({ kid: "a" })),
			"jwks.keys.1",
			/the same kid as another key/,
		);
		assertRefused(
			withKeys(key({ kid: "a" }), key({ kid: "b", d: "AAAA" })),
			"jwks.keys.1",
			/d is a private member/,
		);
	});

	it("validates post-logout redirect URIs like redirect URIs", () => {
		const good = ["https://app.example.com/out?x=1", "http://localhost:3000/out", "http://[::1]/out"];
		assert.deepEqual(parse({ type: "spa", postLogoutRedirectUris: good }).postLogoutRedirectUris, good);
		for (const bad of [
			"http://app.example.com/",
			"/out",
			"https://app.example.com/#x",
			"javascript:alert(1)",
			good[0],
		])
			assertRefused(
				{ type: "spa", postLogoutRedirectUris: ["https://app.example.com/out?x=1", bad ?? ""] },
				"post_logout_redirect_uris.1",
				/must|is a duplicate/,
			);
	});

	it("refuses URLs inside the network", () => {
		for (const url of [
			"http://app.example.com/out",
			"https://127.0.0.1/out",
			"https://localhost/out",
			"https://app.localhost./out",
			"https://[::1]/out",
			"https://[::ffff:10.0.0.1]/out",
			"https://169.254.169.254/latest/meta-data",
			"https://0x7f000001/out",
			"https://2130706433/out",
			"https://app.example.com/out#x",
			"https://app.example.com/#",
			"https://me:pass@app.example.com/",
			"https://app.example.com:0/",
			"https://app.example.com\\@evil.example/",
			"app.example.com",
			"",
		]) {
			assertRefused({ type: "web", backchannelLogoutUri: url }, "backchannel_logout_uri", /must/);
			assertRefused({ type: "web", authMethod: "private_key_jwt", jwksUri: url }, "jwks_uri", /must/);
		}
		const backchannelLogoutUri = "https://app.example.com/out?tenant=1";
		assert.equal(parse({ type: "web", backchannelLogoutUri }).backchannelLogoutUri, backchannelLogoutUri);
	});

	it("accepts any absolute URI as a resource, except those of this service", () => {
		for (const resource of [
			"https://api.example.com",
			"https://api.example.com/orders?v=2",
			"urn:example:orders",
			"https://id.example.com.evil.example",
			"http://id.example.com:8080/",
		])
			assert.equal(parse({ type: "web", resource }).resource, resource);
		for (const resource of [
			"",
			"orders",
			"/orders",
			"//api.example.com",
			"https://",
			"https://api.example.com/#a",
			"https://api.example.com/#",
			"https://api.example.com/a b",
			"https://me:pass@api.example.com/",
			"https://äpi.example.com/",
			"https://id.example.com",
			"https://id.example.com/",
			"HTTPS://ID.EXAMPLE.COM:443/x",
		])
			assertRefused({ type: "web", resource }, "resource", /must/);
	});
});
