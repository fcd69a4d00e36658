// `/external/auth`: the server of an application signs users in and refreshes their sessions. The server is trusted to
// send the IP address of the user in the signed body.

import { tokenDigest } from "../../../crypto/digest.ts";
import type { CallingClient } from "../../../domain/signing-client.ts";
import { data, endpoint } from "../../../http/endpoint.ts";
import { object, optional, text } from "../../../http/schema.ts";
import { invalidField } from "../../../kernel/error.ts";
import { parseIp, rateLimitKey } from "../../../kernel/ip.ts";
import type { Origin } from "../../../kernel/origin.ts";
import type { Needs, Platform } from "../../platform.ts";
import { verifySecondFactor } from "../mfa/mfa-endpoints.ts";
import { invalidSecondFactor } from "../mfa/pending-sign-in.ts";
import { secondFactorFields } from "../mfa/wire.ts";
import { refreshRelayed } from "./refresh-session.ts";
import { loginFields, refreshFields } from "./session-endpoints.ts";
import { signIn } from "./sign-in.ts";
import {
	PASSWORD_SIGN_IN_ERRORS,
	REFRESH_ERRORS,
	SECOND_FACTOR_ERRORS,
	signInSchema,
	tokensSchema,
	toWireCompleted,
	toWireSignIn,
	toWireTokens,
} from "./sign-in-wire.ts";

const IP_TEXT_MAX = 45;
const USER_AGENT_MAX = 512;

const RELAY_RULE =
	"For the server of an application through which users sign in. The signed body contains the user's IP address. Limits, the session, and the audit trail use that address; each API client has its own limits. The session belongs to the client's application: its tokens are refused on every route that requires a role.";

interface Relayed {
	readonly caller: CallingClient;
	/** Contains the IP address of the user. */
	readonly body: { readonly ip: string; readonly user_agent?: string };
}

const relayFields = {
	ip: text({
		max: IP_TEXT_MAX,
		description:
			"The user's IP address as your server saw it: IPv4, or IPv6 without a zone. Limits, the session, and the audit trail use it.",
	}),
	user_agent: optional(
		text({ min: 0, max: USER_AGENT_MAX, description: "`User-Agent` of the user's browser." }),
	),
};

export function relayEndpoints(platform: Platform) {
	return {
		login: endpoint<CallingClient>()({
			name: "relayLogin",
			summary: "Sign in a user of the client's application",
			description: `${RELAY_RULE} Returns what \`POST /auth/login\` returns. If a second factor is required, continue with \`POST /external/auth/mfa\`.`,
			body: object({ ...loginFields, ...relayFields }),
			response: data(200, signInSchema, "Signed in, or a second factor is required."),
			errors: PASSWORD_SIGN_IN_ERRORS,
			secret: true,
			countedAs: (call) => relayedCount(call),
			async handle(call) {
				const { caller, body } = call;
				const credentials = { name: body.username, passwordPlain: body.password, appId: caller.appId };
				const visitor = { ...caller, origin: relayedOrigin(call) };
				return toWireSignIn(await signIn(platform, credentials, visitor));
			},
		}),

		refresh: endpoint<CallingClient>()({
			name: "relayRefresh",
			summary: "Exchange a refresh token of the client's application for new tokens",
			description: `${RELAY_RULE} Returns what \`POST /auth/refresh\` returns. A token of another application returns 401.`,
			body: object({ ...refreshFields, ...relayFields }),
			response: data(200, tokensSchema, "Signed in."),
			errors: REFRESH_ERRORS,
			secret: true,
			countedAs: (call) => relayedCount(call),
			async handle(call) {
				const { caller, body } = call;
				return toWireTokens(await refreshRelayed(platform, body.refresh_token, caller, relayedOrigin(call)));
			},
		}),

		verify: endpoint<CallingClient>()({
			name: "relaySecondFactor",
			summary: "Finish a relayed sign-in with a second factor",
			description: `${RELAY_RULE} Returns what \`POST /auth/mfa\` returns. An \`mfa_token\` of another application returns 401.`,
			body: object({ ...secondFactorFields, ...relayFields }),
			response: data(200, tokensSchema, "Signed in."),
			errors: SECOND_FACTOR_ERRORS,
			secret: true,
			countedAs: (call) => relayedCount(call),
			async handle(call) {
				await checkOwnSignIn(platform, call.caller, call.body.mfa_token);
				return toWireCompleted(await verifySecondFactor(platform, call.body, relayedOrigin(call)));
			},
		}),
	};
}

/** Read outside the transaction: a pending sign-in never changes its application. @throws AppError `mfa.invalid`. */
async function checkOwnSignIn(
	{ db, clock }: Needs<"pendingSignIns", "clock">,
	{ tenantId, appId }: CallingClient,
	mfaToken: string,
): Promise<void> {
	const pending = await db.stores.pendingSignIns.find(tokenDigest(mfaToken), clock());
	if (pending?.tenantId !== tenantId || pending.appId !== appId) throw invalidSecondFactor();
}

/**
 * The origin of the user. The relayed `Accept-Language` header decides the language of mails.
 *
 * @throws AppError `request.invalid` that names the field `ip`.
 */
function relayedOrigin({ caller, body, request }: Relayed & { readonly request: Origin }): Origin {
	const { requestId, acceptLanguage } = request;
	const userAgent = body.user_agent ?? "";
	return { ip: relayedAddress(body.ip), userAgent, requestId, acceptLanguage, relayedBy: caller.id };
}

/** A relayed request counts against the limit of the named IP address and against the limit of its client. */
function relayedCount({ caller: { id }, body: { ip } }: Relayed) {
	return { caller: id, key: `relay:${id}:${rateLimitKey(relayedAddress(ip))}` };
}

function relayedAddress(ip: string): string {
	const address = parseIp(ip);
	if (address === undefined) throw invalidField("ip", "ip");
	return address.text;
}
