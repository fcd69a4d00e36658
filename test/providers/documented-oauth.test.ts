// GitHub, WeChat, Feishu, and DingTalk, against a server that responds as their documentation describes.

import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import type { ProviderConnection } from "../../src/domain/provider-gateway.ts";
import type { Json } from "../harness/providers/bad-provider.ts";
import { type Documented, startDocumentedProvider } from "../harness/providers/documented-provider.ts";
import { fixture } from "../harness/runs/fixture.ts";
import { CALLBACK, fails, loopbackGateway, newAttempt } from "./attempt.ts";

const CLIENT = { clientId: "the.client", clientSecretPlain: "a secret of the client" };
const HOSTS = [
	"github.com",
	"api.github.com",
	"ghe.example.com",
	"open.weixin.qq.com",
	"api.weixin.qq.com",
	"accounts.feishu.cn",
	"open.feishu.cn",
	"open.larksuite.com",
	"login.dingtalk.com",
	"api.dingtalk.com",
];

describe("a non-standard provider, as it is documented", () => {
	const provider = fixture(() => startDocumentedProvider(HOSTS));
	after(() => provider.close());

	const complete = async (
		connection: ProviderConnection,
		responses: Documented,
		back: Readonly<Record<string, string>> = { code: "the code" },
	) => {
		const gateway = loopbackGateway(provider.options);
		const attempt = newAttempt();
		provider.response(responses);
		const authorization = new URL(await gateway.authorizationUrl(connection, attempt));
		assert.deepEqual(provider.sent, [], "the browser is redirected to the provider without a request to it");
		const returned = new URLSearchParams({ state: attempt.state, ...back });
		const profile = await gateway.fetchProfile(connection, attempt, returned);
		return { profile, authorization, attempt, parameters: Object.fromEntries(authorization.searchParams) };
	};
	const sentTo = () => provider.sent.map(({ to }) => to);
	const says =
		(body: unknown, status = 200, type = "application/json") =>
		() => ({ body, status, type });

	/** The common behavior of all kinds, with any callback. */
	const refusesReturns = (name: string, connection: () => ProviderConnection, responses: () => Documented) =>
		it("takes one code, with the state of the attempt", async () => {
			const run = (back: Readonly<Record<string, string>>) => complete(connection(), responses(), back);
			await fails(run({ [name]: "the code", state: "another" }), "invalid_answer", /state/);
			await fails(run({ error: "access_denied" }), "denied", /./);
			await fails(run({ error: "a\nb" }), "invalid_answer", /invalid code/);
			assert.deepEqual(provider.sent, []);
		});

	describe("github", () => {
		const connection: ProviderConnection = { kind: "github", issuer: null, ...CLIENT };
		const user = {
			login: "octocat",
			id: 583231,
			node_id: "MDQ6VXNlcjU4MzIzMQ==",
			avatar_url: "https://avatars.githubusercontent.com/u/583231?v=4",
			name: "The Octocat",
			email: "public@example.com",
		};
		const emails = [
			{ email: "other@example.com", primary: false, verified: true, visibility: null },
			{ email: "octocat@example.com", primary: true, verified: true, visibility: "private" },
		];
		const responses = (
			change: { token?: Json; user?: Json; emails?: unknown } = {},
			api = "api.github.com",
		) => ({
			[`POST ${api === "api.github.com" ? "github.com" : "ghe.example.com"}/login/oauth/access_token`]: says(
				change.token ?? {
					access_token: "the access token",
					scope: "read:user,user:email",
					token_type: "bearer",
				},
			),
			[`GET ${api}/user`]: says({ ...user, ...change.user }),
			[`GET ${api}/user/emails`]: says(change.emails ?? emails),
		});

		it("follows GitHub's documentation, and identifies users by their number", async () => {
			const { profile, authorization, attempt, parameters } = await complete(connection, responses());
			assert.equal(authorization.origin + authorization.pathname, "https://github.com/login/oauth/authorize");
			assert.match(parameters.code_challenge ?? "", /^[\w-]{43}$/);
			delete parameters.code_challenge;
			assert.deepEqual(parameters, {
				client_id: CLIENT.clientId,
				redirect_uri: CALLBACK,
				response_type: "code",
				scope: "read:user user:email",
				state: attempt.state,
				code_challenge_method: "S256",
			});
			const [token, ...reads] = provider.sent;
			assert.deepEqual(token?.body, {
				client_id: CLIENT.clientId,
				client_secret: CLIENT.clientSecretPlain,
				grant_type: "authorization_code",
				code: "the code",
				redirect_uri: CALLBACK,
				code_verifier: attempt.codeVerifierPlain,
			});
			assert.equal(token?.headers.accept, "application/json");
			assert.deepEqual(sentTo().slice(1).sort(), [
				"GET api.github.com/user",
				"GET api.github.com/user/emails",
			]);
			for (const { headers } of reads) {
				assert.equal(headers.authorization, "Bearer the access token");
				assert.equal(headers.accept, "application/vnd.github+json");
				assert.equal(headers["x-github-api-version"], "2022-11-28");
				assert.equal(headers["user-agent"], "latchkey");
			}
			assert.deepEqual(profile, {
				subject: "583231",
				otherSubjects: [],
				email: "octocat@example.com",
				isEmailVerified: true,
				username: "octocat",
				displayName: "The Octocat",
				avatarUrl: user.avatar_url,
			});
		});

		it("uses the primary address, verified only if GitHub says so", async () => {
			for (const [list, expected] of [
				[[{ email: "a@example.com", primary: true, verified: false }], ["a@example.com", false]],
				[[{ email: "a@example.com", primary: false, verified: true }], [null, false]],
				[[], [null, false]],
				[{ message: "Not Found" }, [null, false]],
			] as const) {
				const { profile } = await complete(connection, responses({ emails: list }));
				assert.deepEqual([profile.email, profile.isEmailVerified], expected);
			}
		});

		it("has errors with status 200", async () => {
			for (const [error, reason] of [
				["bad_verification_code", "invalid_answer"],
				["incorrect_client_credentials", "misconfigured"],
				["redirect_uri_mismatch", "misconfigured"],
			] as const)
				await fails(complete(connection, responses({ token: { error } })), reason, new RegExp(error));
		});

		it("yields no identity without a numeric id", async () => {
			for (const id of [undefined, null, 0, -1, "583231", 1.5])
				await fails(complete(connection, responses({ user: { id } })), "invalid_answer", /id/);
		});

		it("can be an Enterprise Server", async () => {
			for (const issuer of ["https://ghe.example.com", "https://ghe.example.com/"]) {
				const own = { ...connection, issuer };
				const { profile, authorization } = await complete(own, responses({}, "ghe.example.com/api/v3"));
				assert.equal(
					authorization.origin + authorization.pathname,
					"https://ghe.example.com/login/oauth/authorize",
				);
				assert.equal(profile.subject, "583231");
			}
		});

		refusesReturns(
			"code",
			() => connection,
			() => responses(),
		);
	});

	describe("wechat", () => {
		const connection: ProviderConnection = { kind: "wechat", issuer: null, ...CLIENT };
		const tokens = {
			access_token: "the access token",
			expires_in: 7200,
			refresh_token: "the refresh token",
			openid: "o6_bmjrPTlm6_2sgVt7hMZOPfL2M",
			scope: "snsapi_login",
			unionid: "o6_bmasdasdsad6_2sgVt7hMZOPfL",
		};
		const person = {
			openid: tokens.openid,
			nickname: "小明",
			sex: 1,
			province: "PROVINCE",
			city: "CITY",
			country: "COUNTRY",
			headimgurl:
				"https://thirdwx.qlogo.cn/mmopen/g3MonUZtNHkdmzicIlibx6iaFqAc56vxLSUfpb6n5WKSYVY0ChQKkiaJSgQ1dZuTOgvLLrhJbERQQ4eMsv84eavHiaiceqxibJxCfHe/0",
			privilege: [],
			unionid: tokens.unionid,
		};
		// JSON with the content type of plain text.
		const responses = (change: { tokens?: Json; person?: Json } = {}) => ({
			"GET api.weixin.qq.com/sns/oauth2/access_token": says(change.tokens ?? tokens, 200, "text/plain"),
			"GET api.weixin.qq.com/sns/userinfo": says(change.person ?? person, 200, "text/plain"),
		});

		it("follows WeChat's documentation, and identifies users by their unionid", async () => {
			const { profile, authorization, attempt, parameters } = await complete(connection, responses());
			assert.equal(
				authorization.origin + authorization.pathname,
				"https://open.weixin.qq.com/connect/qrconnect",
			);
			assert.equal(authorization.hash, "#wechat_redirect");
			assert.deepEqual(Object.keys(parameters), ["appid", "redirect_uri", "response_type", "scope", "state"]);
			assert.deepEqual(parameters, {
				appid: CLIENT.clientId,
				redirect_uri: CALLBACK,
				response_type: "code",
				scope: "snsapi_login",
				state: attempt.state,
			});
			const [token, userinfo] = provider.sent;
			assert.deepEqual(sentTo(), [
				"GET api.weixin.qq.com/sns/oauth2/access_token",
				"GET api.weixin.qq.com/sns/userinfo",
			]);
			assert.deepEqual(token?.query, {
				appid: CLIENT.clientId,
				secret: CLIENT.clientSecretPlain,
				code: "the code",
				grant_type: "authorization_code",
			});
			assert.deepEqual(userinfo?.query, {
				access_token: tokens.access_token,
				openid: tokens.openid,
				lang: "en",
			});
			assert.deepEqual(profile, {
				subject: tokens.unionid,
				otherSubjects: [tokens.openid],
				email: null,
				isEmailVerified: false,
				username: null,
				displayName: "小明",
				avatarUrl: person.headimgurl,
			});
		});

		it("identifies a user without a unionid by the openid", async () => {
			const { unionid: _, ...without } = tokens;
			const { unionid: __, ...anonymous } = person;
			const { profile } = await complete(connection, responses({ tokens: without, person: anonymous }));
			assert.deepEqual([profile.subject, profile.otherSubjects], [tokens.openid, []]);
		});

		it("has errors with status 200", async () => {
			for (const [errcode, reason] of [
				[40029, "invalid_answer"],
				[40163, "invalid_answer"],
				[40013, "misconfigured"],
				[40125, "misconfigured"],
				[-1, "unreachable"],
			] as const) {
				const error = { errcode, errmsg: "invalid code, hints: [ req_id: a secret of ]" };
				await fails(complete(connection, responses({ tokens: error })), reason, new RegExp(String(errcode)));
				await fails(complete(connection, responses({ person: error })), reason, new RegExp(String(errcode)));
			}
		});

		it("refuses a profile without an openid, or of another user", async () => {
			await fails(
				complete(connection, responses({ tokens: { ...tokens, openid: "" } })),
				"invalid_answer",
				/openid/,
			);
			await fails(
				complete(connection, responses({ tokens: { ...tokens, access_token: "" } })),
				"invalid_answer",
				/token/,
			);
			await fails(
				complete(connection, responses({ person: { ...person, openid: "x" } })),
				"invalid_answer",
				/another user/,
			);
			await fails(
				complete(connection, responses({ person: { ...person, unionid: 7 } })),
				"invalid_answer",
				/unionid/,
			);
		});

		it("returns the state only after the user declines", () =>
			fails(complete(connection, responses(), {}), "denied", /did not allow/));

		refusesReturns(
			"code",
			() => connection,
			() => responses(),
		);
	});

	describe("feishu", () => {
		const connection: ProviderConnection = { kind: "feishu", issuer: null, ...CLIENT };
		const person = {
			name: "张三",
			en_name: "zhangsan",
			avatar_url: "https://www.feishu.cn/avatar/icon",
			open_id: "ou-caecc734c2e3328a62489fe0648c4b98779515d3",
			union_id: "on-d89jhsdhjsajkda7828enjdj328ydhhw3u43yjhdj",
			email: "zhangsan@feishu.cn",
			enterprise_email: "demo@mail.com",
			tenant_key: "736588c92lxf175d",
		};
		const responses = (
			change: { tokens?: Json; person?: Json; status?: number } = {},
			api = "open.feishu.cn",
		) => ({
			[`POST ${api}/open-apis/authen/v2/oauth/token`]: says(
				change.tokens ?? {
					code: 0,
					access_token: "the access token",
					expires_in: 7200,
					token_type: "Bearer",
				},
				change.status,
			),
			[`GET ${api}/open-apis/authen/v1/user_info`]: says(
				change.person ?? { code: 0, msg: "success", data: person },
			),
		});

		it("follows Feishu's documentation, and identifies users by their union_id", async () => {
			const { profile, authorization, attempt, parameters } = await complete(connection, responses());
			assert.equal(
				authorization.origin + authorization.pathname,
				"https://accounts.feishu.cn/open-apis/authen/v1/authorize",
			);
			assert.match(parameters.code_challenge ?? "", /^[\w-]{43}$/);
			delete parameters.code_challenge;
			assert.deepEqual(parameters, {
				client_id: CLIENT.clientId,
				response_type: "code",
				redirect_uri: CALLBACK,
				state: attempt.state,
				code_challenge_method: "S256",
			});
			const [token, userinfo] = provider.sent;
			assert.equal(token?.headers["content-type"], "application/json; charset=utf-8");
			assert.deepEqual(token?.body, {
				grant_type: "authorization_code",
				client_id: CLIENT.clientId,
				client_secret: CLIENT.clientSecretPlain,
				code: "the code",
				redirect_uri: CALLBACK,
				code_verifier: attempt.codeVerifierPlain,
			});
			assert.equal(userinfo?.headers.authorization, "Bearer the access token");
			assert.deepEqual(profile, {
				subject: person.union_id,
				otherSubjects: [person.open_id],
				email: "demo@mail.com",
				isEmailVerified: false,
				username: null,
				displayName: "张三",
				avatarUrl: person.avatar_url,
			});
		});

		it("can be Lark or a private deployment, by the issuer", async () => {
			const lark = { ...connection, issuer: "https://accounts.larksuite.com" };
			const { authorization } = await complete(lark, responses({}, "open.larksuite.com"));
			assert.equal(authorization.origin, "https://accounts.larksuite.com");
			const wrong = { ...connection, issuer: "https://open.larksuite.com" };
			await fails(complete(wrong, responses()), "misconfigured", /accounts/);
		});

		it("reports errors by code in both responses", async () => {
			for (const [code, reason] of [
				[20003, "invalid_answer"],
				[20065, "invalid_answer"],
				[20002, "misconfigured"],
				[20071, "misconfigured"],
				[20050, "unreachable"],
			] as const) {
				const tokens = { code, error: "invalid_grant", error_description: "a secret of" };
				await fails(
					complete(connection, responses({ tokens, status: 400 })),
					reason,
					new RegExp(String(code)),
				);
			}
			await fails(
				complete(connection, responses({ person: { code: 20005, msg: "x" } })),
				"invalid_answer",
				/20005/,
			);
		});

		it("is refused without an open_id", async () => {
			for (const data of [undefined, {}, { ...person, open_id: "" }, { ...person, union_id: 1 }])
				await fails(complete(connection, responses({ person: { code: 0, data } })), "invalid_answer", /_id/);
			await fails(complete(connection, responses({ tokens: { code: 0 } })), "invalid_answer", /token/);
		});

		refusesReturns(
			"code",
			() => connection,
			() => responses(),
		);
	});

	describe("dingtalk", () => {
		const connection: ProviderConnection = { kind: "dingtalk", issuer: null, ...CLIENT };
		const person = {
			nick: "zhangsan",
			avatarUrl: "https://static.dingtalk.com/media/avatar.jpg",
			mobile: "150xxxx9144",
			openId: "123",
			unionId: "z21HjQliSzpw0Yxxxx",
			email: "zhangsan@alibaba-inc.com",
			stateCode: "86",
		};
		const responses = (change: { tokens?: Json; person?: Json; status?: number } = {}) => ({
			"POST api.dingtalk.com/v1.0/oauth2/userAccessToken": says(
				change.tokens ?? {
					accessToken: "the access token",
					refreshToken: "abcd",
					expireIn: 7200,
					corpId: "corpxxxx",
				},
				change.status,
			),
			"GET api.dingtalk.com/v1.0/contact/users/me": says(change.person ?? person),
		});
		const back = { authCode: "the code" };

		it("follows DingTalk's documentation, and identifies users by their unionId", async () => {
			const { profile, authorization, attempt, parameters } = await complete(connection, responses(), back);
			assert.equal(authorization.origin + authorization.pathname, "https://login.dingtalk.com/oauth2/auth");
			assert.deepEqual(parameters, {
				redirect_uri: CALLBACK,
				response_type: "code",
				client_id: CLIENT.clientId,
				scope: "openid",
				state: attempt.state,
				prompt: "consent",
			});
			const [token, me] = provider.sent;
			assert.deepEqual(sentTo(), Object.keys(responses()));
			assert.deepEqual(token?.body, {
				clientId: CLIENT.clientId,
				clientSecret: CLIENT.clientSecretPlain,
				code: "the code",
				grantType: "authorization_code",
			});
			assert.equal(me?.headers["x-acs-dingtalk-access-token"], "the access token");
			assert.equal(me?.headers.authorization, undefined);
			assert.deepEqual(profile, {
				subject: person.unionId,
				otherSubjects: [person.openId],
				email: person.email,
				isEmailVerified: false,
				username: null,
				displayName: "zhangsan",
				avatarUrl: person.avatarUrl,
			});
		});

		it("reports errors with a status and a textual code", async () => {
			for (const [code, reason] of [
				["invalidParameter.authCode.notFound", "invalid_answer"],
				["invalidClientIdOrSecret", "misconfigured"],
				["Forbidden.AccessDenied.AccessTokenPermissionDenied", "misconfigured"],
			] as const) {
				const tokens = { code, requestid: "x", message: "a secret of" };
				await fails(complete(connection, responses({ tokens, status: 400 }), back), reason, new RegExp(code));
			}
		});

		it("is refused without an openId or a token", async () => {
			await fails(
				complete(connection, responses({ person: { nick: "x" } }), back),
				"invalid_answer",
				/openId/,
			);
			await fails(complete(connection, responses({ tokens: {} }), back), "invalid_answer", /token/);
		});

		refusesReturns(
			"authCode",
			() => connection,
			() => responses(),
		);
	});
});
