// Feishu, and Lark, its international edition.

import { ProviderFailure, type ProviderFailureReason } from "../../../domain/provider-gateway.ts";
import { isMembers } from "../../../kernel/shape.ts";
import { standardParameters } from "../authorization-request.ts";
import { type Claims, claimText, claimUrl, subjectOf, subjectsOf } from "../claims.ts";
import { reportedError } from "../failure.ts";
import { accessTokenOf, requestJson, returnedCode } from "../json-request.ts";
import type { ProviderClient } from "../provider-client.ts";

const ACCOUNTS = "https://accounts.feishu.cn";
/** Wrong app or secret, unregistered redirect URI, disabled app; 20050 and 20072: unavailable. */
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
 * https://open.feishu.cn/document/uAjLw4CM/ukTMukTMukTM/authentication-management/access-token/get-user-access-token
 * and https://open.feishu.cn/document/uAjLw4CM/ukTMukTMukTM/reference/authen-v1/user_info/get.
 *
 * Differences: the token endpoint accepts JSON only. Responses have `code`, 0 for success, and the person in `data`. A
 * person has an `open_id` per app and a `union_id` across all apps of one developer. Addresses are not marked as
 * verified. The issuer is `https://accounts.<domain>`, `accounts.larksuite.com` for Lark; the API is at
 * `open.<domain>`.
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
		const { body: tokens } = await requestJson(calls, {
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
		checkResponse(tokens);
		const { body } = await requestJson(calls, {
			url: `${api}/open-apis/authen/v1/user_info`,
			headers: { authorization: `Bearer ${accessTokenOf(tokens.access_token)}` },
		});
		checkResponse(body);
		const person = isMembers(body.data) ? body.data : {};
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
		throw new ProviderFailure(
			"misconfigured",
			"the issuer of a provider of kind feishu must be https://accounts.<domain>",
		);
	return url.origin;
}

function checkResponse({ code, error }: Claims): void {
	if ((code === undefined || code === 0) && error === undefined) return;
	throw reportedError(code ?? error, (name) => REASONS[name]);
}
