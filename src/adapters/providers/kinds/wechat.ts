// WeChat login for websites: a QR code to be scanned with the app.

import { ProviderFailure, type ProviderFailureReason } from "../../../features/third-party/model.ts";
import { accessTokenOf, ask, errorName, returnedCode } from "../answer.ts";
import { type Claims, claimText, claimUrl, subjectOf, subjectsOf } from "../claims.ts";
import type { ProviderClient } from "../provider-client.ts";

const API = "https://api.weixin.qq.com/sns";
/** Wrong app id or secret; an address that is not registered. Busy. Anything else is about the code. */
const REASONS: Readonly<Record<string, ProviderFailureReason>> = {
	"-1": "unreachable",
	"10003": "misconfigured",
	"40001": "misconfigured",
	"40013": "misconfigured",
	"40125": "misconfigured",
	"48001": "misconfigured",
};

/**
 * Source: https://developers.weixin.qq.com/doc/oplatform/Website_App/WeChat_Login/Wechat_Login.html and
 * https://developers.weixin.qq.com/doc/oplatform/Website_App/WeChat_Login/Authorized_Interface_Calling_UnionID.html.
 *
 * Odd: the client is `appid` and `secret`, both in the query of a GET; the page wants `#wechat_redirect` at its end;
 * errors come with status 200 and `errcode`; JSON comes as `text/plain`; who says no comes back with the state and no
 * code; no PKCE, no nonce, no address. A person is `openid` in one app and `unionid` in all apps bound to one
 * account of the open platform; the unionid is absent when there is none, and may come later.
 */
export const wechat: ProviderClient = {
	async authorizationUrl(_calls, connection, attempt) {
		const query = new URLSearchParams({
			appid: connection.clientId,
			redirect_uri: attempt.callbackUrl,
			response_type: "code",
			scope: "snsapi_login",
			state: attempt.state,
		});
		return `https://open.weixin.qq.com/connect/qrconnect?${query}#wechat_redirect`;
	},
	async fetchProfile(calls, connection, attempt, parameters) {
		const question = new URLSearchParams({
			appid: connection.clientId,
			secret: connection.clientSecretPlain,
			code: returnedCode(parameters, attempt.state),
			grant_type: "authorization_code",
		});
		const { body: tokens } = await ask(calls, { url: `${API}/oauth2/access_token?${question}` });
		checkAnswer(tokens);
		const openid = subjectOf(tokens.openid, "openid");
		const asked = new URLSearchParams({
			access_token: accessTokenOf(tokens.access_token),
			openid,
			lang: "en",
		});
		const { body: person } = await ask(calls, { url: `${API}/userinfo?${asked}` });
		checkAnswer(person);
		if (person.openid !== openid)
			throw new ProviderFailure("invalid_answer", "the profile is somebody else's");
		return {
			...subjectsOf(openid, person.unionid ?? tokens.unionid, "unionid"),
			email: null,
			isEmailVerified: false,
			username: null,
			displayName: claimText(person.nickname),
			avatarUrl: claimUrl(person.headimgurl),
		};
	},
};

function checkAnswer({ errcode }: Claims): void {
	if (errcode === undefined || errcode === 0) return;
	const name = errorName(errcode);
	throw new ProviderFailure(REASONS[name] ?? "invalid_answer", `the provider answered the error ${name}`);
}
