// `/external/auth/mfa`: an application's server finishes a relayed sign-in with a second factor.

import { tokenDigest } from "../../../crypto/digest.ts";
import type { CallingClient } from "../../../domain/signing-client.ts";
import { data, endpoint } from "../../../http/endpoint.ts";
import { object } from "../../../http/schema.ts";
import type { Needs, Platform } from "../../platform.ts";
import { RELAY_RULE, relayedCount, relayedOrigin, relayFields } from "../auth/relay-wire.ts";
import { tokensSchema, toWireCompleted } from "../auth/sign-in-wire.ts";
import { answer } from "./answer-endpoints.ts";
import { wrongAnswer } from "./pending-sign-in.ts";
import { answerFields } from "./wire.ts";

export function mfaRelayEndpoints(platform: Platform) {
	return {
		answer: endpoint<CallingClient>()({
			name: "relaySecondFactor",
			summary: "Finish a relayed sign-in with a second factor",
			description: `${RELAY_RULE} Answers as \`POST /auth/mfa\` does; an \`mfa_token\` of another application is 401.`,
			body: object({ ...answerFields, ...relayFields }),
			answer: data(200, tokensSchema, "Signed in."),
			errors: ["mfa.invalid", "account.disabled", "application.access_denied", "login.too_many"],
			secret: true,
			countedAs: ({ caller, body }) => relayedCount(caller, body),
			async handle({ caller, body, request }) {
				await checkOwnSignIn(platform, caller, body.mfa_token);
				return toWireCompleted(await answer(platform, body, relayedOrigin(caller, body, request)));
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
	if (pending?.tenantId !== tenantId || pending.appId !== appId) throw wrongAnswer();
}
