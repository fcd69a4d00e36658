// An application requests that its user be signed out (OpenID Connect RP-Initiated Logout 1.0).

import type { PresentedOAuthClient } from "../../../domain/oauth-client.ts";
import { type IdTokenHint, type RequestedSignOut, uiLocalesOf } from "../../../domain/openid-provider.ts";
import type { Session, SessionHolder, SignedIn } from "../../../domain/session.ts";
import { type User, usernameKey } from "../../../domain/user.ts";
import type { Needs } from "../../platform.ts";
import { signOut } from "../users/end-session.ts";

export type SignOutNeeds = Needs<"oauthClients" | "sessions" | "audit", "clock" | "openId">;

export const SIGN_OUT_PARAMETERS = [
	"id_token_hint",
	"client_id",
	"post_logout_redirect_uri",
	"state",
	"logout_hint",
	"ui_locales",
] as const;
/** As sent. */
export type SignOutParameters = {
	readonly [Name in (typeof SIGN_OUT_PARAMETERS)[number]]?: string | undefined;
};

type SignOutOutcome =
	| { readonly refused: string }
	/** The id of the sign-out that the user has to confirm on the page. */
	| { readonly pendingId: string }
	/** The user is signed out. `redirectTo` is null if the application named no URI. */
	| Pick<RequestedSignOut, "redirectTo" | "uiLocales">;

const TEXT_MAX = 2_000;

/**
 * Signs the user out immediately if the ID token names the session of this browser and no hint names another user.
 * Otherwise the user has to confirm, because any site can send a browser here.
 *
 * @param session of the browser.
 * @param knowsSession false if the browser may have a session whose cookie it did not send.
 * @param callerOf the caller of the sign-out, whose origin is the request.
 */
export async function requestSignOut(
	needs: SignOutNeeds,
	parameters: SignOutParameters,
	session: Session | undefined,
	knowsSession: boolean,
	callerOf: (holder: SessionHolder) => SignedIn,
): Promise<SignOutOutcome> {
	const { id_token_hint: idToken, client_id: named, post_logout_redirect_uri: uri, state } = parameters;
	for (const name of ["state", "logout_hint"] as const)
		if ((parameters[name]?.length ?? 0) > TEXT_MAX)
			return { refused: `the ${name} has more than ${TEXT_MAX} characters` };
	const hint = idToken === undefined ? undefined : await needs.openId.readIdToken(idToken);
	if (idToken !== undefined && hint === undefined)
		return { refused: "the id_token_hint is not an ID token of this service" };
	if (hint !== undefined && named !== undefined && hint.clientId !== named)
		return { refused: "the client_id is not the client of id_token_hint" };
	const clientId = hint?.clientId ?? named;
	const client = clientId === undefined ? undefined : await findClient(needs, clientId);
	if (clientId !== undefined && client === undefined)
		return { refused: "the client_id or id_token_hint names no client of this service" };
	if (uri !== undefined && client === undefined)
		return { refused: "the post_logout_redirect_uri needs client_id or id_token_hint" };
	if (uri !== undefined && client?.postLogoutRedirectUris.includes(uri) !== true)
		return { refused: "the post_logout_redirect_uri is not registered for this client" };
	const requested = {
		clientId: client?.applicationId ?? null,
		redirectTo: withState(uri, state),
		logoutHint: parameters.logout_hint ?? "",
		uiLocales: uiLocalesOf(parameters.ui_locales),
	};
	if (session === undefined && knowsSession) return requested;
	const requireConfirmation = async () => ({ pendingId: await needs.openId.keepSignOut(requested) });
	if (session === undefined || !namesSession(hint, client, session)) return await requireConfirmation();
	const holder = await needs.db.stores.sessions.findSignedIn(session.id, needs.clock());
	if (holder !== undefined) {
		if (!namesUser(requested.logoutHint, holder.user)) return await requireConfirmation();
		// The same transaction revokes its access tokens and the grants of applications in this session.
		await signOut(needs, callerOf(holder));
	}
	return requested;
}

/** The sign-out that the user has to confirm, with its application. Undefined if it is unknown or expired. */
export async function findRequestedSignOut(
	needs: SignOutNeeds,
	id: string,
): Promise<{ signOut: RequestedSignOut; client: PresentedOAuthClient | undefined } | undefined> {
	const requested = (await needs.openId.isUsed()) ? await needs.openId.findSignOut(id) : undefined;
	if (requested === undefined) return undefined;
	if (requested.clientId === null) return { signOut: requested, client: undefined };
	const client = await findClient(needs, requested.clientId);
	return client && { signOut: requested, client };
}

/** Ignores the client of a disabled application. */
async function findClient({ db }: SignOutNeeds, id: string): Promise<PresentedOAuthClient | undefined> {
	const client = await db.stores.oauthClients.findPresented(id);
	return client?.application.status === "active" ? client : undefined;
}

function namesSession(
	hint: IdTokenHint | undefined,
	client: PresentedOAuthClient | undefined,
	session: Session,
): boolean {
	return (
		hint?.proved?.sessionId === session.id &&
		hint.proved.userId === session.userId &&
		client?.tenantId === session.tenantId
	);
}

function namesUser(logoutHint: string, { id, username, email }: User): boolean {
	return (
		logoutHint === "" || [id, username, email].some((name) => usernameKey(name) === usernameKey(logoutHint))
	);
}

function withState(uri: string | undefined, state: string | undefined): string | null {
	if (uri === undefined) return null;
	if (state === undefined) return uri;
	return `${uri}${uri.includes("?") ? "&" : "?"}state=${encodeURIComponent(state)}`;
}
