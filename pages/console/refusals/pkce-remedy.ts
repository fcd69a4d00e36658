// The line that turns on PKCE in the library that sent a request, recognized by its redirect URI: nothing else in a request
// that the browser sends tells libraries apart. The guide has the same lines.

export interface PkceRemedy {
	readonly library: string;
	readonly line: string;
}

/** The path that a library uses unless its developer chooses another one. */
const USUAL_PATHS: readonly { readonly path: RegExp; readonly remedies: readonly PkceRemedy[] }[] = [
	{
		path: /\/oidc\/callback\/$/,
		remedies: [{ library: "mozilla-django-oidc", line: "OIDC_USE_PKCE = True" }],
	},
	{
		path: /\/accounts\/(oidc\/)?[^/]+\/login\/callback\/$/,
		remedies: [{ library: "django-allauth", line: '"OAUTH_PKCE_ENABLED": True' }],
	},
	{
		path: /\/redirect_uri$/,
		remedies: [
			{ library: "lua-resty-openidc", line: "use_pkce = true" },
			{ library: "mod_auth_openidc", line: "OIDCPKCEMethod S256" },
		],
	},
	{
		path: /\/login\/[^/]+\/authorized$/,
		remedies: [{ library: "Flask-Dance 7", line: 'use_pkce=True, code_challenge_method="S256"' }],
	},
	{
		path: /\/index\.php\/login\/oauth$/,
		remedies: [{ library: "Roundcube 1.7", line: "$config['oauth_pkce'] = 'S256';" }],
	},
	{
		path: /\/auth\/strategy\/callback\/?$/,
		remedies: [{ library: "Node-RED", line: "pkce: true, state: true" }],
	},
	{ path: /^http:\/\/localhost:1410\/$/, remedies: [{ library: "httr2", line: "pkce = TRUE" }] },
];

const LACKS_CHALLENGE = /^send code_challenge .*?(?:; redirect_uri: (\S+))?$/;

/**
 * Undefined if the refusal has another cause; empty if the library is not recognized.
 *
 * @param reason of the refusal of an OAuth client
 */
export function pkceRemedies(reason: string | null): readonly PkceRemedy[] | undefined {
	const found = LACKS_CHALLENGE.exec(reason ?? "");
	if (found === null) return undefined;
	const [, uri = ""] = found;
	return USUAL_PATHS.find(({ path }) => path.test(uri))?.remedies ?? [];
}
