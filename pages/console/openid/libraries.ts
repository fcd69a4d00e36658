// The libraries for servers in docs/protect-your-application.md, and the settings that they need.

interface Settings {
	readonly pkce: "required" | "optional";
	readonly id_token_alg: "RS256";
}

interface Library {
	readonly key: string;
	readonly label: string;
	/** `optional` for libraries that send a nonce but no code challenge. */
	readonly pkce: Settings["pkce"];
}

export const LIBRARIES = [
	{ key: "openid-client-6", label: "openid-client 6", pkce: "required" },
	{ key: "openid-client-5", label: "openid-client 5", pkce: "required" },
	{ key: "auth-js-5", label: "Auth.js 5", pkce: "required" },
	{ key: "next-auth-4", label: "next-auth 4", pkce: "required" },
	{ key: "express-openid-connect", label: "express-openid-connect", pkce: "required" },
	{ key: "passport-openidconnect", label: "passport-openidconnect", pkce: "optional" },
	{ key: "grant", label: "Grant", pkce: "required" },
	{ key: "fastapi", label: "FastAPI with Authlib", pkce: "required" },
	{ key: "flask", label: "Flask with Authlib", pkce: "optional" },
	{ key: "social-django", label: "social-auth-app-django", pkce: "optional" },
	{ key: "go-oidc", label: "go-oidc", pkce: "required" },
	{ key: "spring", label: "Spring Security", pkce: "required" },
	{ key: "asp-net", label: "ASP.NET Core", pkce: "required" },
	{ key: "mod-auth-openidc", label: "mod_auth_openidc", pkce: "required" },
	{ key: "omniauth", label: "OmniAuth", pkce: "optional" },
	{ key: "lemonldap", label: "LemonLDAP::NG", pkce: "optional" },
] as const satisfies readonly Library[];

/** Key of a library that is not listed. */
export const OTHER_LIBRARY = "other";

/** Every library verifies RS256. */
export function settingsFor(library: string): Settings {
	const { pkce = "required" } = LIBRARIES.find(({ key }) => key === library) ?? {};
	return { pkce, id_token_alg: "RS256" };
}
