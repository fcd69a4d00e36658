// The programs of docs/protect-your-application.md with the values of one application in place of the guide's.

import type { Framework } from "./frameworks.ts";

/** Where the programs of the guide listen, and what they believe their own address to be. */
const GUIDE_ORIGIN = "http://localhost:3000";
const GUIDE_PORT = "3000";
const GUIDE_CALLBACK = "/callback";
/** Means the same in the routes of every framework, and needs no escape in any language. */
const PLAIN_PATH = /^(?:\/[\w.~-]+)+$/;

export interface Connection {
	readonly issuer: string;
	readonly clientId: string;
	readonly redirectUri: string;
}

/**
 * The registered addresses that the program can serve. They are compared character by character, so one that `URL`
 * writes differently, or with a query, is none of them.
 */
export function servedAddresses({ callback }: Framework, addresses: readonly string[]): string[] {
	return addresses.filter((address) => {
		const { origin, pathname } = new URL(address);
		if (address !== origin + pathname || !PLAIN_PATH.test(pathname)) return false;
		return !callback.isFixed || pathname === callback.path;
	});
}

/** Where the program of the guide is on the machine of its developer. */
export function localAddress({ callback }: Framework): string {
	return GUIDE_ORIGIN + callback.path;
}

/** On the developer's machine the port of the address; elsewhere a proxy has that one. */
export function portOf(redirectUri: string): string {
	const { protocol, port } = new URL(redirectUri);
	return protocol === "http:" ? port || "80" : GUIDE_PORT;
}

/** `redirectUri` is an address that the program can serve. The secrets stay variables. */
export function fillIn(code: string, { issuer, clientId, redirectUri }: Connection): string {
	const { origin, pathname } = new URL(redirectUri);
	const port = portOf(redirectUri);
	const values: readonly (readonly [text: string, value: string])[] = [
		// First: the values below may begin like it.
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
