// Apple and DingTalk from the browser's side: the service handles their unusual callbacks.

import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { exportPKCS8, generateKeyPair } from "jose";
import { createProviderGateway } from "../../src/adapters/providers/gateway.ts";
import { openIdResponses, startDocumentedProvider } from "../harness/providers/documented-provider.ts";
import {
	IDENTITY_PROVIDERS,
	outcomeOf,
	PUBLIC_URL,
	RETURN_TO,
	THIRD_PARTY,
} from "../harness/providers/third-party.ts";
import { fixture } from "../harness/runs/fixture.ts";
import { startTestService } from "../harness/service/service.ts";

describe("providers with a non-standard redirect", () => {
	const provider = fixture(() => startDocumentedProvider(["appleid.apple.com", "api.dingtalk.com"]));
	const service = fixture(() =>
		startTestService({
			env: { LATCHKEY_PUBLIC_URL: PUBLIC_URL },
			providers: createProviderGateway(provider.options),
		}),
	);
	after(async () => {
		await service?.stop();
		await provider?.close();
	});

	const add = async (kind: string, client_secret: string): Promise<void> => {
		const body = {
			provider: kind,
			kind,
			display_name: kind,
			client_id: "the.client",
			client_secret,
			sign_up: true,
		};
		const response = await service.callAsAdmin("POST", IDENTITY_PROVIDERS, { body });
		assert.equal(response.status, 201, JSON.stringify(response.body));
	};
	const visit = (url: string, cookie: string) => {
		const { pathname, search } = new URL(url);
		return service.call("GET", pathname + search, { https: true, headers: { cookie } });
	};
	/** Goes as far as the provider. @returns the URL of the redirect, and the cookie */
	const begin = async (kind: string) => {
		const body = { return_to: RETURN_TO };
		const started = await service.call("POST", `${THIRD_PARTY}/${kind}/start`, { body });
		assert.equal(started.status, 200, JSON.stringify(started.body));
		const parameters = new URL(started.body.data.authorization_url).searchParams;
		return { parameters, cookie: started.headers["set-cookie"]?.[0]?.split(";")[0] ?? "" };
	};
	/** Opens the callback and finishes the sign-in. @returns the user */
	const finish = async (callback: string, cookie: string) => {
		assert.equal(outcomeOf(await visit(callback, cookie)), "finish");
		const headers = { cookie, origin: PUBLIC_URL };
		const response = await service.call("POST", `${THIRD_PARTY}/finish`, { https: true, headers });
		assert.equal(response.status, 200, JSON.stringify(response.body));
		const { access_token: token } = response.body.data;
		return (await service.call("GET", "/api/v1/users/me", { token })).body.data;
	};

	it("apple posts a form, without the cookie, with the name beside the code", async () => {
		const { privateKey } = await generateKeyPair("ES256", { extractable: true });
		const private_key = await exportPKCS8(privateKey);
		await add("apple", JSON.stringify({ team_id: "DEF123GHIJ", key_id: "ABC123DEFG", private_key }));
		let nonce: string | null = null;
		const site = "https://appleid.apple.com/auth";
		provider.response(
			await openIdResponses({
				issuer: "https://appleid.apple.com",
				document: {
					authorization_endpoint: `${site}/authorize`,
					token_endpoint: `${site}/token`,
					jwks_uri: `${site}/keys`,
					token_endpoint_auth_methods_supported: ["client_secret_post"],
				},
				claims: () => ({
					aud: "the.client",
					nonce,
					sub: "001999.abc.1234",
					email: "x@privaterelay.appleid.com",
					email_verified: "true",
				}),
			}),
		);
		const { parameters, cookie } = await begin("apple");
		nonce = parameters.get("nonce");
		const form = new URLSearchParams({
			state: parameters.get("state") ?? "",
			code: "c1234.0.mrtqw.5678",
			user: JSON.stringify({ name: { firstName: "Ann", lastName: "Example" }, email: "victim@example.com" }),
		});
		const posted = await service.call("POST", new URL(parameters.get("redirect_uri") ?? "").pathname, {
			https: true,
			body: Buffer.from(form.toString()),
			headers: { "content-type": "application/x-www-form-urlencoded", origin: "https://appleid.apple.com" },
		});
		assert.equal(posted.status, 303, JSON.stringify(posted.body));
		const me = await finish(String(posted.headers.location), cookie);
		assert.equal(me.display_name, "Ann Example");
		assert.deepEqual([me.email, me.email_verified], ["x@privaterelay.appleid.com", true]);
	});

	it("dingtalk calls the code authCode", async () => {
		await add("dingtalk", "secret");
		provider.response({
			"POST api.dingtalk.com/v1.0/oauth2/userAccessToken": ({ body }) =>
				body.code === "the code" ? { body: { accessToken: "t", expireIn: 7200 } } : { status: 400, body: {} },
			"GET api.dingtalk.com/v1.0/contact/users/me": () => ({
				body: { nick: "张三", openId: "123", unionId: "z21", email: "zhang@example.com" },
			}),
		});
		const { parameters, cookie } = await begin("dingtalk");
		const callback = new URL(parameters.get("redirect_uri") ?? "");
		callback.search = new URLSearchParams({
			authCode: "the code",
			state: parameters.get("state") ?? "",
		}).toString();
		const me = await finish(callback.href, cookie);
		assert.deepEqual([me.display_name, me.email, me.email_verified], ["张三", "zhang@example.com", false]);
	});
});
