// Our own addresses on the way to a provider and back. All begin with the configured public address, never with a header.

const PREFIX = "/api/v1/auth/third-party";

/** Where the browser of whoever begins is sent first. */
export function beginUrl(publicUrl: string, provider: string, attemptToken: string): string {
	return `${publicUrl}${PREFIX}/${provider}/begin?attempt=${attemptToken}`;
}

/** What is registered at the provider; `name` as `CallbackNameOf` gives it. */
export function callbackUrl(publicUrl: string, name: string): string {
	return `${publicUrl}${PREFIX}/${name}/callback`;
}

/** A registered redirect address with one more parameter; it has no fragment, so the end of it is the end of its query. */
export function returnUrl(redirectUri: string, name: "ticket" | "error", value: string): string {
	return `${redirectUri}${redirectUri.includes("?") ? "&" : "?"}${name}=${encodeURIComponent(value)}`;
}
