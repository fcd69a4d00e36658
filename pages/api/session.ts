// The session of this browser: the access token lives in memory only, the cookie that renews it is out of reach of scripts.

import { signal } from "@preact/signals";
import { ApiError } from "./error.ts";
import { send } from "./request.ts";
import type { Schemas } from "./routes.ts";

export type User = Schemas["User"];
export type Role = User["roles"][number];

export interface Session {
	/** `unknown` until the cookie was tried. */
	readonly state: "unknown" | "signed-out" | "signed-in";
	readonly user: User | undefined;
	readonly roles: readonly Role[];
	readonly accessToken: string | undefined;
}

/** The parts of a token answer that the pages keep. */
export interface SessionTokens {
	readonly access_token: string;
	readonly user: User;
}

type Message = { readonly signedIn: SessionTokens } | { readonly signedOut: true };

const SIGNED_OUT: Session = { state: "signed-out", user: undefined, roles: [], accessToken: undefined };
const RENEWAL_LOCK = "latchkey-session";
/** How long a tab waits for the tokens that another tab has just received. */
const SHARED_TOKENS_MS = 50;

export const session = signal<Session>({ ...SIGNED_OUT, state: "unknown" });
/** True while a dialog asks to sign in again: the session ended, and what is typed stays. */
export const isSignInDue = signal(false);

const waiting: { resolve: () => void; reject: (error: ApiError) => void }[] = [];
const tabs = new BroadcastChannel("latchkey-session");
tabs.addEventListener("message", ({ data }: MessageEvent<Message>) => {
	if ("signedOut" in data) return endHere();
	const { user } = session.value;
	// What is on this page belongs to somebody else now.
	if (user !== undefined && user.id !== data.signedIn.user.id) location.reload();
	else enter(data.signedIn);
});

/** Begins the session of an answer with tokens, in all tabs. */
export function startSession(tokens: SessionTokens): void {
	const { access_token, user } = tokens;
	enter({ access_token, user });
	tabs.postMessage({ signedIn: { access_token, user } } satisfies Message);
}

/** Tries the cookie of the browser; call once before the first screen. */
export async function restoreSession(): Promise<Session> {
	if (session.value.state === "unknown") await renewSession(undefined);
	return session.value;
}

/**
 * Gets a new access token with the cookie; tabs that need one at the same time share one request. False: the session
 * has ended. `usedToken` is the one that was refused.
 *
 * @throws ApiError when the service cannot be reached or refuses for another reason.
 */
export function renewSession(usedToken: string | undefined): Promise<boolean> {
	return navigator.locks.request(RENEWAL_LOCK, async () => {
		// Another tab may have renewed while this one waited for the lock.
		await new Promise((resolve) => setTimeout(resolve, usedToken === undefined ? 0 : SHARED_TOKENS_MS));
		const { accessToken } = session.value;
		if (accessToken !== undefined && accessToken !== usedToken) return true;
		try {
			const answer = (await send("POST", "/api/v1/auth/refresh")) as { data: SessionTokens } | undefined;
			if (answer !== undefined) {
				startSession(answer.data);
				return true;
			}
		} catch (error) {
			if (!(error instanceof ApiError) || ![401, 403].includes(error.status)) throw error;
		}
		if (usedToken === undefined) session.value = SIGNED_OUT;
		return false;
	});
}

/** Ends the session, and leaves the page in all other tabs. @throws ApiError: then it lives on. */
export async function endSession(): Promise<void> {
	await send("POST", "/api/v1/auth/logout");
	tabs.postMessage({ signedOut: true } satisfies Message);
}

/**
 * Ends the session and leaves the page, here for `path` and in all other tabs for `/`, also when the service cannot be
 * reached.
 */
export async function signOut(path = "/"): Promise<void> {
	try {
		await send("POST", "/api/v1/auth/logout");
	} finally {
		tabs.postMessage({ signedOut: true } satisfies Message);
		endHere(path);
	}
}

/** Asks to sign in again and resolves when it is done, here or in another tab. */
export function signInAgain(): Promise<void> {
	isSignInDue.value = true;
	return new Promise((resolve, reject) => waiting.push({ resolve, reject }));
}

/** Rejects the calls that wait for the sign-in. */
export function declineSignIn(): void {
	isSignInDue.value = false;
	const error = new ApiError(401, "session.ended", "the session has ended");
	for (const { reject } of waiting.splice(0)) reject(error);
}

/** For pages that need a session: goes to the sign-in page, which comes back here. */
export function requireSignIn(): void {
	const back = `${location.pathname}${location.search}`;
	location.replace(`/sign-in?return_to=${encodeURIComponent(back)}`);
}

function enter({ access_token, user }: SessionTokens): void {
	session.value = { state: "signed-in", user, roles: user.roles, accessToken: access_token };
	isSignInDue.value = false;
	for (const { resolve } of waiting.splice(0)) resolve();
}

/** What the page shows was for the user who has gone: another page replaces it. */
function endHere(path = "/"): void {
	const wasSignedIn = session.value.state === "signed-in";
	session.value = SIGNED_OUT;
	if (wasSignedIn) location.replace(path);
}
