// An application asks to sign its person out (OpenID Connect RP-Initiated Logout 1.0).

import type { PresentedOAuthClient } from "../../../domain/oauth-client.ts";
import { type AskedSignOut, type IdTokenHint, uiLocalesOf } from "../../../domain/openid-provider.ts";
import type { Session, SessionHolder, SignedIn } from "../../../domain/session.ts";
import { type User, usernameKey } from "../../../domain/user.ts";
import type { Needs } from "../../platform.ts";
import { signOut } from "../users/end-session.ts";

export type SignOutNeeds = Needs<"oauthClients" | "sessions" | "audit", "clock" | "openId">;

/** As sent; absent ones are undefined. */
export interface SignOutParameters {
	readonly id_token_hint?: string | undefined;
	readonly client_id?: string | undefined;
	readonly post_logout_redirect_uri?: string | undefined;
	readonly state?: string | undefined;
	readonly logout_hint?: string | undefined;
	readonly ui_locales?: string | undefined;
}

export type SignOutOutcome =
	| { readonly refused: string }
	/** The page asks the person, under this id. */
	| { readonly asked: string }
	/** No user is signed in; null: the application named no URL. */
	| Pick<AskedSignOut, "redirectTo" | "uiLocales">;

/** Who asks, from where. */
type CallerOf = (holder: SessionHolder) => SignedIn;

const TEXT_MAX = 2_000;

/**
 * Signs out at once where the ID token names the very session of this browser, and no hint names another person;
 * otherwise the person is asked, since any site can send a browser here.
 *
 * @param session of the browser. @param knowsSession false when the browser may have one that it did not send.
 */
export async function requestSignOut(
	needs: SignOutNeeds,
	parameters: SignOutParameters,
	session: Session | undefined,
	knowsSession: boolean,
	callerOf: CallerOf,
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
	const asked = {
		clientId: client?.applicationId ?? null,
		redirectTo: withState(uri, state),
		logoutHint: parameters.logout_hint ?? "",
		uiLocales: uiLocalesOf(parameters.ui_locales),
	};
	if (session === undefined && knowsSession) return asked;
	const ask = async () => ({ asked: await needs.openId.keepSignOut(asked) });
	if (session === undefined || !namesSession(hint, client, session)) return await ask();
	const holder = await needs.db.stores.sessions.findSignedIn(session.id, needs.clock());
	if (holder !== undefined) {
		if (!namesPerson(asked.logoutHint, holder.user)) return await ask();
		// Its access tokens, and everything that applications got in it, end in the same transaction.
		await signOut(needs, callerOf(holder));
	}
	return asked;
}

/** The sign-out that a page asks about, with its application. Undefined when it is unknown, or has expired. */
export async function findAskedSignOut(
	needs: SignOutNeeds,
	id: string,
): Promise<{ asked: AskedSignOut; client: PresentedOAuthClient | undefined } | undefined> {
	const asked = (await needs.openId.isUsed()) ? await needs.openId.findSignOut(id) : undefined;
	if (asked === undefined || asked.clientId === null) return asked && { asked, client: undefined };
	const client = await findClient(needs, asked.clientId);
	return client && { asked, client };
}

/** A client of a disabled application is none. */
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

function namesPerson(logoutHint: string, { id, username, email }: User): boolean {
	return (
		logoutHint === "" || [id, username, email].some((name) => usernameKey(name) === usernameKey(logoutHint))
	);
}

function withState(uri: string | undefined, state: string | undefined): string | null {
	if (uri === undefined) return null;
	if (state === undefined) return uri;
	return `${uri}${uri.includes("?") ? "&" : "?"}state=${encodeURIComponent(state)}`;
}
