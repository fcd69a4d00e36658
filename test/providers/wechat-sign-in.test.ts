// A complete sign-in with WeChat, on a server that responds as its documentation describes: one person with two ids.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { createProviderGateway } from "../../src/adapters/providers/gateway.ts";
import { addApiClient } from "../harness/access/applications.ts";
import { startDocumentedProvider } from "../harness/providers/documented-provider.ts";
import { addProvider } from "../harness/providers/identity-providers.ts";
import { PUBLIC_URL, THIRD_PARTY } from "../harness/providers/third-party.ts";
import { fixture } from "../harness/runs/fixture.ts";
import { startTestService } from "../harness/service/service.ts";
import type { BodyOfRow } from "../harness/service/wire-body.ts";

describe("a sign-in with WeChat", () => {
	const wechat = fixture(() => startDocumentedProvider(["api.weixin.qq.com"]));
	const service = fixture(() =>
		startTestService({
			env: { LATCHKEY_PUBLIC_URL: PUBLIC_URL },
			providers: createProviderGateway(wechat.options),
		}),
	);
	before(async () => {
		await addProvider(service, { provider: "wechat", kind: "wechat", issuer: null, sign_up: true });
	});
	const client = fixture(() => addApiClient(service));
	after(async () => {
		await service?.stop();
		await wechat?.close();
	});

	/** WeChat returns the unionid only for apps that are bound to an account of the open platform. */
	const signIn = async (openid: string, unionid?: string) => {
		const ids = { openid, ...(unionid && { unionid }) };
		wechat.response({
			"GET api.weixin.qq.com/sns/oauth2/access_token": () => ({
				type: "text/plain",
				body: { access_token: "a token", expires_in: 7200, scope: "snsapi_login", ...ids },
			}),
			"GET api.weixin.qq.com/sns/userinfo": () => ({
				type: "text/plain",
				body: { nickname: "小明", headimgurl: "", privilege: [], ...ids },
			}),
		});
		const started = await service.call<BodyOfRow<"POST /api/v1/auth/third-party/{provider}/start">>(
			"POST",
			`${THIRD_PARTY}/wechat/start`,
			{ body: { return_to: "/sign-in" } },
		);
		const state = new URL(started.body.data.authorization_url).searchParams.get("state");
		const cookie = String(started.headers["set-cookie"]?.[0]?.split(";")[0]);
		const path = `${THIRD_PARTY}/wechat/callback?code=the-code&state=${state}`;
		const back = await service.call("GET", path, { headers: { cookie } });
		const headers = { cookie, origin: PUBLIC_URL };
		const response = await service.call<BodyOfRow<"POST /api/v1/auth/third-party/finish">>(
			"POST",
			`${THIRD_PARTY}/finish`,
			{ https: true, headers },
		);
		assert.equal(response.status, 200, String(back.headers.location));
		return response.body.data.user;
	};
	const foundBy = async (provider_user_id: string): Promise<string> => {
		const body = { provider: "wechat", provider_user_id };
		const response = await service.signed(client, "POST", "/api/v1/external/third-party/find-user", { body });
		return response.body.data?.id;
	};

	it("creates an account without an address; partners find it by openid and by unionid", async () => {
		const user = await signIn("open-1", "union-1");
		assert.deepEqual([user.username, user.display_name], ["user", "小明"]);
		assert.equal(user.email, `${user.id}@no-address.invalid`);
		for (const id of ["open-1", "union-1"]) assert.equal(await foundBy(id), user.id, id);
		assert.equal(await foundBy("open-2"), undefined);
	});

	it("recognizes a user whose unionid arrives later, and the openid of another app by it", async () => {
		const user = await signIn("open-3");
		assert.equal((await signIn("open-3", "union-3")).id, user.id);
		assert.equal((await signIn("open-4", "union-3")).id, user.id);
		for (const id of ["open-3", "open-4", "union-3"]) assert.equal(await foundBy(id), user.id, id);
	});

	it("keeps two people apart, with any id", async () => {
		const [one, two] = [await signIn("open-5", "union-5"), await signIn("open-6", "union-6")];
		assert.notEqual(one.id, two.id);
		assert.equal((await signIn("open-6", "union-5")).id, one.id);
		assert.equal(await foundBy("open-6"), two.id);
	});
});
