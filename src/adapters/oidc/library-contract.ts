// The members of oidc-provider that this folder replaces, wraps or relies on beyond its documented configuration. They
// are checked when the library is loaded. docs/architecture.md says what each hook changes.

import { createRequire } from "node:module";
import Provider, { errors, interactionPolicy } from "oidc-provider";

export interface LibraryMember {
	/** Begins with `Provider`, `errors`, `interactionPolicy`, `policy` (the default one), or `provider` (an instance). */
	readonly member: string;
	readonly why: string;
	/** The file below `test/` that fails when the member changes. */
	readonly test: string;
}

/** `test` is the name of the file in `test/openid`. */
const member = (member: string, why: string, test: string): LibraryMember => ({
	member,
	why,
	test: `openid/${test}.test.ts`,
});
const members = (of: string, names: readonly string[], why: string, test: string) =>
	names.map((name) => member(`${of}.${name}`, why, test));

/** Replaced or wrapped. */
export const LIBRARY_HOOKS: readonly LibraryMember[] = [
	member("Provider.prototype.registerGrantType", "stores tokens together", "statements"),
	member("Provider.prototype.registerResponseMode", "limits response modes", "response-modes"),
	member("policy.consent.checks.native_client_prompt", "limits consents", "code-flow"),
	member("provider.Client.find", "finds programs by URL", "programs"),
	member("provider.Client.prototype.compareClientSecret", "compares digests", "limits"),
	member("provider.Client.prototype.grantTypeAllowed", "returns an error of RFC 6749", "device-flow"),
	member("provider.Client.prototype.includeSid", "names the session", "logout"),
	member("provider.Client.prototype.redirectUriAllowed", "restores a scope", "lenient-requests"),
	member("provider.Client.prototype.responseModeAllowed", "limits response modes", "response-modes"),
	member("provider.IdToken.prototype.issue", "names programs by URL", "programs"),
	member("provider.RefreshToken.prototype.generateTokenId", "derives successors", "endings"),
	member("provider.ReplayDetection.unique", "accepts a proof once", "dpop"),
	member("provider.Session.prototype.sidFor", "names the session", "logout"),
];

export const LIBRARY_CONTRACT: readonly LibraryMember[] = [
	...LIBRARY_HOOKS,
	member("Provider.ctx", "finds the current request", "code-flow"),
	...members("provider", ["createContext", "middleware"], "runs without a connection", "code-flow"),
	...members(
		"provider",
		["registerGrantType", "AccessToken", "ResourceServer"],
		"exchanges tokens",
		"token-exchange",
	),
	member("provider.use", "completes responses", "device-flow"),
	member("provider.on", "logs refusals", "hostile"),
	...members(
		"provider.OIDCContext.prototype",
		["client", "grant", "provider", "requestParamOIDCScopes", "requestParamScopes"],
		"reads the request",
		"scopes",
	),
	member(
		"provider.OIDCContext.prototype.clientJwtAuthExpectedAudience",
		"checks every audience of an assertion",
		"private-key-jwt",
	),
	...members(
		"provider.Grant.prototype",
		["addOIDCScope", "addResourceScope", "getResourceScopeFiltered", "save"],
		"grants what the user consented to",
		"scopes",
	),
	member("provider.Interaction.find", "finds a sign-in in progress", "code-flow"),
	member("provider.Interaction.prototype.save", "stores the decision of the user", "code-flow"),
	...members(
		"provider.Interaction.IN_PAYLOAD",
		["lastSubmission", "params", "prompt", "result", "returnTo", "session"],
		"completes a sign-in",
		"lenient-requests",
	),
	member("provider.IdToken.prototype.set", "adds claims of the client", "client-profiles"),
	member("provider.IdToken.validate", "identifies the session at a sign-out", "logout"),
	member("provider.AuthorizationCode.IN_PAYLOAD.codeChallenge", "recognizes a repeated request", "endings"),
	...members(
		"provider.DeviceCode.IN_PAYLOAD",
		["accountId", "acr", "amr", "authTime", "deviceInfo", "error", "errorDescription"],
		"stores the decision about a device",
		"device-flow",
	),
	...members(
		"provider.DeviceCode.IN_PAYLOAD",
		["grantId", "params", "resource", "scope", "sessionUid", "sid", "userCode"],
		"stores the decision about a device",
		"device-flow",
	),
	...members(
		"provider.Session.IN_PAYLOAD",
		["accountId", "acr", "amr", "authorizations", "loginTs", "uid"],
		"shows the library the user's own session",
		"second-factor",
	),
	...members("interactionPolicy", ["Check", "Prompt", "base"], "adds checks", "second-factor"),
	...members("policy", ["consent", "login"], "adds checks", "second-factor"),
	...members("errors", ["AccessDenied", "InvalidTarget"], "refuses a request", "resources"),
	member("errors.OIDCProviderError", "tells its refusals from defects", "token-exchange"),
	member("errors.InvalidClientAuth", "refuses an assertion", "private-key-jwt"),
	member("errors.InvalidDpopProof", "refuses a used proof", "dpop"),
	member("errors.InvalidGrant", "refuses a used code or token", "endings"),
	member("errors.InvalidRequest", "names what a request lacks", "pkce-optional"),
	member("errors.InvalidRequestUri", "refuses a used request", "authorization-requests"),
	member("errors.InvalidScope", "refuses a request", "scopes"),
	...members("errors", ["SlowDown", "UnauthorizedClient"], "refuses a device", "device-flow"),
	member("errors.TemporarilyUnavailable", "stops a request beyond its limit", "limits"),
];

/** Call it before the configuration is created. @throws Error like `checkMembers`. */
export function checkModule(): void {
	checkMembers({ Provider, errors, interactionPolicy });
	checkMembers({ policy: interactionPolicy.base() });
}

/** @throws Error that names the version of the library and its missing members below these roots. */
export function checkMembers(roots: Readonly<Record<string, unknown>>): void {
	const missing = LIBRARY_CONTRACT.filter(({ member }) => {
		const path = member.split(".");
		return Object.hasOwn(roots, path[0] ?? "") && !has(roots, path);
	});
	if (missing.length === 0) return;
	const { version } = createRequire(import.meta.url)("oidc-provider/package.json") as { version: string };
	const named = missing.map(({ member, why, test }) => `${member} (${why}; see test/${test})`);
	throw new Error(
		`oidc-provider ${version} lacks ${named.join(", ")}: install the version that Latchkey names`,
	);
}

/** Never reads the last name, which may be a getter of an instance. A list has its values, prompts and checks. */
function has(holder: unknown, [name = "", ...rest]: readonly string[]): boolean {
	if (Array.isArray(holder)) {
		const part = holder.find((each) => each === name || each.name === name || each.reason === name);
		return part !== undefined && (rest.length === 0 || has(part, rest));
	}
	const members = Object(holder);
	return name in members && (rest.length === 0 || has(members[name], rest));
}
