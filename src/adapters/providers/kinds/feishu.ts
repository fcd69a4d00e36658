// Feishu, and Lark, which is Feishu outside of China.

import { ProviderFailure, type ProviderFailureReason } from "../../../features/third-party/model.ts";
import { accessTokenOf, ask, errorName, returnedCode } from "../answer.ts";
import { standardParameters } from "../authorization-request.ts";
import { type Claims, claimText, claimUrl, subjectOf, subjectsOf } from "../claims.ts";
import type { ProviderClient } from "../provider-client.ts";

const ACCOUNTS = "https://accounts.feishu.cn";
/** Wrong app or secret, a redirect address that is not registered, an app that is off. Down. */
const REASONS: Readonly<Record<string, ProviderFailureReason>> = {
	"20002": "misconfigured",
	"20009": "misconfigured",
	"20048": "misconfigured",
	"20069": "misconfigured",
	"20071": "misconfigured",
	"20050": "unreachable",
	"20072": "unreachable",
};

/**
 * Source: https://open.feishu.cn/document/common-capabilities/sso/api/obtain-oauth-code,
 * https://open.feishu.cn/document/uAjLw4CM/ukTMukTMukTM/authentication-management/access-token/get-user-access-token and
 * https://open.feishu.cn/document/uAjLw4CM/ukTMukTMukTM/reference/authen-v1/user_info/get.
 *
 * Odd: the token endpoint takes JSON only; answers have `code`, 0 when all is well, and the person in `data`. A person
 * is `open_id` in one app and `union_id` in all apps of one developer. Nothing says that an address is verified. The
 * issuer is `https://accounts.<domain>`, `accounts.larksuite.com` for Lark; the API stands at `open.<domain>`.
 */
export const feishu: ProviderClient = {
	async authorizationUrl(_calls, { clientId, issuer }, attempt) {
		const query = new URLSearchParams({
			client_id: clientId,
			response_type: "code",
			...(await standardParameters(attempt)),
		});
		return `${accountsOf(issuer)}/open-apis/authen/v1/authorize?${query}`;
	},
	async fetchProfile(calls, connection, attempt, parameters) {
		const api = accountsOf(connection.issuer).replace("//accounts.", "//open.");
		const { body: tokens } = await ask(calls, {
			url: `${api}/open-apis/authen/v2/oauth/token`,
			json: {
				grant_type: "authorization_code",
				client_id: connection.clientId,
				client_secret: connection.clientSecretPlain,
				code: returnedCode(parameters, attempt.state),
				redirect_uri: new URL(attempt.callbackUrl).href,
				code_verifier: attempt.codeVerifierPlain,
			},
		});
		checkAnswer(tokens);
		const { body } = await ask(calls, {
			url: `${api}/open-apis/authen/v1/user_info`,
			headers: { authorization: `Bearer ${accessTokenOf(tokens.access_token)}` },
		});
		checkAnswer(body);
		const person = (body.data ?? {}) as Claims;
		return {
			...subjectsOf(subjectOf(person.open_id, "open_id"), person.union_id, "union_id"),
			email: claimText(person.enterprise_email) ?? claimText(person.email),
			isEmailVerified: false,
			username: null,
			displayName: claimText(person.name) ?? claimText(person.en_name),
			avatarUrl: claimUrl(person.avatar_url),
		};
	},
};

function accountsOf(issuer: string | null): string {
	if (issuer === null) return ACCOUNTS;
	const url = URL.parse(issuer);
	if (url?.protocol !== "https:" || !url.hostname.startsWith("accounts."))
		throw new ProviderFailure("misconfigured", "an issuer of kind feishu is https://accounts.<domain>");
	return url.origin;
}

function checkAnswer({ code, error }: Claims): void {
	if ((code === undefined || code === 0) && error === undefined) return;
	const name = errorName(code ?? error);
	throw new ProviderFailure(REASONS[name] ?? "invalid_answer", `the provider answered the error ${name}`);
}
