// Fills the values of one application into the code of docs/protect-your-application.md.

import type { Framework } from "./frameworks.ts";

/** Where the guide's code listens, and its own URL there. */
const GUIDE_ORIGIN = "http://localhost:3000";
const GUIDE_PORT = "3000";
const GUIDE_CALLBACK = "/callback";
/** Has the same meaning in the routes of every framework, and needs no escaping in any language. */
const PLAIN_PATH = /^(?:\/[\w.~-]+)+$/;

export interface Connection {
	readonly issuer: string;
	readonly clientId: string;
	readonly redirectUri: string;
}

/**
 * The registered redirect URIs that the code can serve. They are compared character by character, so a URI that `URL`
 * serializes differently, or with a query, is excluded.
 */
export function servedAddresses({ callback }: Framework, addresses: readonly string[]): string[] {
	return addresses.filter((address) => {
		const { origin, pathname } = new URL(address);
		if (address !== origin + pathname || !PLAIN_PATH.test(pathname)) return false;
		return !callback.isFixed || pathname === callback.path;
	});
}

/** Where the guide's code runs on a developer's machine. */
export function localAddress({ callback }: Framework): string {
	return GUIDE_ORIGIN + callback.path;
}

/** On a developer's machine the port of the URI; elsewhere a proxy listens there. */
export function portOf(redirectUri: string): string {
	const { protocol, port } = new URL(redirectUri);
	return protocol === "http:" ? port || "80" : GUIDE_PORT;
}

/** `redirectUri` is one that the code can serve. Secrets stay variables. */
export function fillIn(code: string, { issuer, clientId, redirectUri }: Connection): string {
	const { origin, pathname } = new URL(redirectUri);
	const port = portOf(redirectUri);
	const values: readonly (readonly [text: string, value: string])[] = [
		// First, because the values below may start with it.
		[GUIDE_ORIGIN, origin],
		// JavaScript
		[
			"const { OIDC_ISSUER, OIDC_CLIENT_ID, OIDC_CLIENT_SECRET, SESSION_SECRET } = process.env;",
			[
				`const OIDC_ISSUER = "${issuer}";`,
				`const OIDC_CLIENT_ID = "${clientId}";`,
				"const { OIDC_CLIENT_SECRET, SESSION_SECRET } = process.env;",
			].join("\n"),
		],
		["process.env.OIDC_ISSUER", `"${issuer}"`],
		["process.env.OIDC_CLIENT_ID", `"${clientId}"`],
		[`PORT = "${GUIDE_PORT}"`, `PORT = "${port}"`],
		// Python
		[
			'os.environ["OIDC_ISSUER"] + "/.well-known/openid-configuration"',
			`"${issuer}/.well-known/openid-configuration"`,
		],
		['os.environ["OIDC_CLIENT_ID"]', `"${clientId}"`],
		// YAML and Apache
		[`\${OIDC_ISSUER}`, issuer],
		[`\${OIDC_CLIENT_ID}`, clientId],
		[`OIDCRedirectURI \${APP_URL}${GUIDE_CALLBACK}`, `OIDCRedirectURI ${redirectUri}`],
		[`port: ${GUIDE_PORT}`, `port: ${port}`],
		// All of them
		[`"${GUIDE_CALLBACK}"`, `"${pathname}"`],
		[`\${APP_URL}${GUIDE_CALLBACK}`, `\${APP_URL}${pathname}`],
	];
	return values.reduce((filled, [text, value]) => filled.replaceAll(text, () => value), code);
}
