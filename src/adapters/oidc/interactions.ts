// Sign-ins in progress, stored as interactions of the library.

import type { InteractionModel, Payload } from "oidc-provider";
import { type InteractionResult, type OAuthInteraction, uiLocalesOf } from "../../domain/openid-provider.ts";
import type { Session } from "../../domain/session.ts";
import { SECOND_MS } from "../../kernel/clock.ts";
import { ANY_SESSION_DOES, requestsSecondFactor } from "./policy.ts";
import { askedIn } from "./scopes.ts";
import { sessionPayload } from "./session-payload.ts";

/** Member of a result: the session with which the browser must return. */
export const COMPLETING_SESSION = "session_id";

export function describeInteraction(
	{ uid, params, prompt }: InteractionModel,
	createdAtMs: number,
): OAuthInteraction {
	return {
		id: uid,
		prompt: prompt.name === "consent" ? "consent" : "login",
		clientId: String(params.client_id),
		asked: askedIn(params),
		redirectUri: params.redirect_uri ?? "",
		loginHint: params.login_hint ?? "",
		uiLocales: uiLocalesOf(params.ui_locales),
		mustSignInAgain:
			prompt.reasons.some((reason) => !ANY_SESSION_DOES.includes(reason)) && prompt.name === "login",
		requestsSecondFactor: requestsSecondFactor(params),
		createdAtMs,
	};
}

/** @returns the URL to redirect the browser to. */
export async function finishInteraction(model: InteractionModel, result: InteractionResult): Promise<string> {
	model.result = result.action === "deny" ? { error: "access_denied" } : submissionOf(model, result);
	// The user may have signed in again, or with another account.
	model.session = undefined;
	await model.save(Math.max(1, model.exp - Math.floor(Date.now() / SECOND_MS)));
	return model.returnTo;
}

function submissionOf(
	{ lastSubmission }: InteractionModel,
	result: { action: string; session: Session },
): Payload {
	const { accountId, loginTs, amr, acr } = sessionPayload(result.session);
	const login = { accountId, ts: loginTs, amr, acr };
	return {
		...lastSubmission,
		...(result.action === "consent" ? { consent: {} } : { login }),
		[COMPLETING_SESSION]: result.session.id,
	};
}
