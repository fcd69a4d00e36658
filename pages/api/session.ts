// The browser session: the access token is in memory only; scripts cannot read the cookie that renews it.

import { signal } from "@preact/signals";
import { unlessBlocked } from "../stored.ts";
import { ApiError } from "./error.ts";
import { send } from "./request.ts";
import type { Schemas } from "./routes.ts";

export type User = Schemas["User"];
export type Role = User["roles"][number];

export interface Session {
	/** `unknown` until the cookie has been tried. */
	readonly state: "unknown" | "signed-out" | "signed-in";
	readonly user: User | undefined;
	readonly roles: readonly Role[];
	readonly accessToken: string | undefined;
}

/** The parts of a token response that the pages store. */
type SessionTokens = Pick<Schemas["Tokens"], "access_token" | "user">;

type Message = { readonly signedIn: SessionTokens } | { readonly signedOut: true };

const SIGNED_OUT: Session = { state: "signed-out", user: undefined, roles: [], accessToken: undefined };
/** The lock of renewals, and the channel between tabs. */
const SHARED_NAME = "latchkey-session";
/** How long a tab waits for the tokens that another tab has just received. */
const SHARED_TOKENS_MS = 50;

export const session = signal<Session>({ ...SIGNED_OUT, state: "unknown" });
/** True while a dialog asks the user to sign in again; typed input is kept. */
export const isSignInDue = signal(false);

const waiting: { resolve: () => void; reject: (error: ApiError) => void }[] = [];
/** Undefined if the browser blocks site data: Firefox then refuses the channel, and each tab is on its own. */
const tabs = unlessBlocked(() => new BroadcastChannel(SHARED_NAME));
tabs?.addEventListener("message", ({ data }: MessageEvent<Message>) => {
	if ("signedOut" in data) return endHere();
	const { user } = session.value;
	// The page shows another user's data.
	if (user !== undefined && user.id !== data.signedIn.user.id) location.reload();
	else enter(data.signedIn);
});

/** Starts a session from a token response, in all tabs. */
export function startSession(tokens: SessionTokens): void {
	const { access_token, user } = tokens;
	enter({ access_token, user });
	tabs?.postMessage({ signedIn: { access_token, user } } satisfies Message);
}

/** Tries the browser's cookie; call once before the first screen. */
export async function restoreSession(): Promise<Session> {
	if (session.value.state === "unknown") await renewSession(undefined);
	return session.value;
}

/**
 * Gets a new access token with the cookie; concurrent tabs share one request. Returns false if the session
 * has ended. `usedToken` is the refused token.
 *
 * @throws ApiError when the service cannot be reached or refuses for another reason.
 */
export function renewSession(usedToken: string | undefined): Promise<boolean> {
	return alone(async () => {
		// Another tab may have renewed the token while this one waited for the lock.
		await new Promise((resolve) => setTimeout(resolve, usedToken === undefined ? 0 : SHARED_TOKENS_MS));
		const isRenewed = (): boolean => ![undefined, usedToken].includes(session.value.accessToken);
		if (isRenewed()) return true;
		try {
			const response = (await send("POST", "/api/v1/auth/refresh")) as { data: SessionTokens } | undefined;
			if (response !== undefined) {
				startSession(response.data);
				return true;
			}
		} catch (error) {
			if (!(error instanceof ApiError) || ![401, 403].includes(error.status)) throw error;
		}
		// The user may have signed in again during the request, which was then sent without the new cookie.
		if (isRenewed()) return true;
		if (usedToken === undefined) session.value = SIGNED_OUT;
		return false;
	});
}

/** One tab at a time. A browser that blocks site data refuses locks too. */
async function alone<Result>(work: () => Promise<Result>): Promise<Result> {
	let isLocked = false;
	try {
		return await navigator.locks.request(SHARED_NAME, () => {
			isLocked = true;
			return work();
		});
	} catch (error) {
		if (isLocked || !(error instanceof DOMException)) throw error;
		return work();
	}
}

/** Revokes the session and leaves the page in all other tabs. @throws ApiError; the session then stays valid. */
export async function endSession(): Promise<void> {
	await send("POST", "/api/v1/auth/logout");
	tabs?.postMessage({ signedOut: true } satisfies Message);
}

/**
 * Revokes the session and opens `path` here and `/` in all other tabs, even if the service cannot be
 * reached.
 */
export async function signOut(path = "/"): Promise<void> {
	try {
		await send("POST", "/api/v1/auth/logout");
	} finally {
		tabs?.postMessage({ signedOut: true } satisfies Message);
		endHere(path);
	}
}

/** Asks the user to sign in again; resolves when they have, here or in another tab. */
export function signInAgain(): Promise<void> {
	isSignInDue.value = true;
	return new Promise((resolve, reject) => waiting.push({ resolve, reject }));
}

/** Rejects the calls that are waiting for the sign-in. */
export function declineSignIn(): void {
	isSignInDue.value = false;
	const error = new ApiError(401, "session.ended", "the session has ended");
	for (const { reject } of waiting.splice(0)) reject(error);
}

/** For pages that need a session: opens the sign-in page, which returns here. */
export function requireSignIn(): void {
	const back = `${location.pathname}${location.search}`;
	location.replace(`/sign-in?return_to=${encodeURIComponent(back)}`);
}

function enter({ access_token, user }: SessionTokens): void {
	session.value = { state: "signed-in", user, roles: user.roles, accessToken: access_token };
	isSignInDue.value = false;
	for (const { resolve } of waiting.splice(0)) resolve();
}

/** Replaces the page, which shows the previous user's data. */
function endHere(path = "/"): void {
	const wasSignedIn = session.value.state === "signed-in";
	session.value = SIGNED_OUT;
	if (wasSignedIn) location.replace(path);
}
