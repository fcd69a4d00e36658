// Sign-in of people with a browser at an application that has another host than this service.

/** `__Host-`: only the host of the application can set them, over TLS and for all paths (RFC 6265bis, section 4.1.3.2). */
export const GATE_COOKIE = "__Host-latchkey-gate";
/** Binds a sign-in to the browser that began it. */
export const GATE_STATE_COOKIE = "__Host-latchkey-gate-state";
export const GATE_STATE_SECONDS = 600;
/** From the sign-in at this service to the callback at the application's host. */
export const GATE_CODE_SECONDS = 60;
/** The folder of the application's host that its proxy forwards to `/gate/{application_id}/browser/`. */
const FOLDER = "/.latchkey";
const PAGE_MAX = 2_048;
/** The parameter of a sign-in that must have a second factor. */
const NEEDS_FACTOR = { mfa: "1" };

/**
 * The absolute URL of a page of the application, for a path that resolves to its origin; undefined otherwise. Never use
 * the path itself: `/.//evil.example` resolves to a path that is another host when it is resolved again.
 */
export function applicationPage(path: string, origin: string): string | undefined {
	if (!path.startsWith("/") || path.length > PAGE_MAX || !URL.canParse(path, origin)) return undefined;
	const url = new URL(path, origin);
	return url.origin === origin ? url.href : undefined;
}

/** The sign-in URL for a browser that requested this target. */
export function signInAt(origin: string, target: string, needsFactor: boolean): string {
	const to = applicationPage(target, origin) === undefined ? "/" : target;
	return `${origin}${FOLDER}/sign-in?${new URLSearchParams({ to, ...(needsFactor && NEEDS_FACTOR) })}`;
}

/** The part of a sign-in URL that requests a second factor, to pass it on. */
export function neededFactor(query: URLSearchParams): typeof NEEDS_FACTOR | undefined {
	return query.get("mfa") === NEEDS_FACTOR.mfa ? NEEDS_FACTOR : undefined;
}

export function callbackAt(origin: string, code: string): string {
	return `${origin}${FOLDER}/callback?code=${encodeURIComponent(code)}`;
}
