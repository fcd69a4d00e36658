// Sign-ins in progress, stored as interactions of the library.

import type { InteractionModel, Payload } from "oidc-provider";
import { type InteractionResult, type OAuthInteraction, uiLocalesOf } from "../../domain/openid-provider.ts";
import type { Session } from "../../domain/session.ts";
import { SECOND_MS } from "../../kernel/clock.ts";
import { ANY_SESSION_DOES, requestsSecondFactor, SELECT_ACCOUNT } from "./policy.ts";
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
		selectsAccount: prompt.name === SELECT_ACCOUNT,
		mustSignInAgain:
			prompt.reasons.some((reason) => !ANY_SESSION_DOES.includes(reason)) && prompt.name === "login",
		requestsSecondFactor: requestsSecondFactor(params),
		createdAtMs,
	};
}

/** @returns the URL to redirect the browser to. */
export async function finishInteraction(
	model: InteractionModel,
	createdAtMs: number,
	result: InteractionResult,
): Promise<string> {
	const isDenied = result.action === "deny";
	model.result = isDenied ? { error: "access_denied" } : submissionOf(model, createdAtMs, result);
	// The user may have signed in again, or with another account.
	model.session = undefined;
	await model.save(Math.max(1, model.exp - Math.floor(Date.now() / SECOND_MS)));
	return model.returnTo;
}

function submissionOf(
	{ lastSubmission, prompt }: InteractionModel,
	createdAtMs: number,
	{ action, session }: { action: string; session: Session },
): Payload {
	const { accountId, loginTs, amr, acr } = sessionPayload(session);
	const login = { accountId, ts: loginTs, amr, acr };
	const isChoice = prompt.name === SELECT_ACCOUNT;
	// A chosen account may still have to sign in again, unless it did so for this choice.
	const isLogin = action !== "consent" && (!isChoice || session.authenticatedAtMs >= createdAtMs);
	return {
		...lastSubmission,
		...(action === "consent" && { consent: {} }),
		...(isChoice && { [SELECT_ACCOUNT]: {} }),
		...(isLogin && { login }),
		[COMPLETING_SESSION]: session.id,
	};
}
