// WeChat login for websites: a QR code to be scanned with the app.

import { ProviderFailure, type ProviderFailureReason } from "../../../domain/provider-gateway.ts";
import { type Claims, claimText, claimUrl, subjectOf, subjectsOf } from "../claims.ts";
import { reportedError } from "../failure.ts";
import { accessTokenOf, requestJson, returnedCode } from "../json-request.ts";
import type { ProviderClient } from "../provider-client.ts";

const API = "https://api.weixin.qq.com/sns";
/** Wrong app id or secret, unregistered redirect URI; -1: busy. Any other error concerns the code. */
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
 * Differences: `appid` and `secret` are in the query of a GET. The authorization URL ends with `#wechat_redirect`.
 * Errors have status 200 and `errcode`. JSON has the type `text/plain`. A denial returns the state without a code.
 * There is no PKCE, nonce or address. A person has an `openid` per app and a `unionid` across all apps of one account
 * of the open platform; the unionid may be absent and appear later.
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
		const tokenQuery = new URLSearchParams({
			appid: connection.clientId,
			secret: connection.clientSecretPlain,
			code: returnedCode(parameters, attempt.state),
			grant_type: "authorization_code",
		});
		const { body: tokens } = await requestJson(calls, { url: `${API}/oauth2/access_token?${tokenQuery}` });
		checkResponse(tokens);
		const openid = subjectOf(tokens.openid, "openid");
		const userinfoQuery = new URLSearchParams({
			access_token: accessTokenOf(tokens.access_token),
			openid,
			lang: "en",
		});
		const { body: person } = await requestJson(calls, { url: `${API}/userinfo?${userinfoQuery}` });
		checkResponse(person);
		if (person.openid !== openid)
			throw new ProviderFailure("invalid_answer", "the profile belongs to another user");
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

function checkResponse({ errcode }: Claims): void {
	if (errcode === undefined || errcode === 0) return;
	throw reportedError(errcode, (name) => REASONS[name]);
}
