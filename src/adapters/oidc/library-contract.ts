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

const member = (member: string, why: string, test: string): LibraryMember => ({ member, why, test });
const members = (of: string, names: readonly string[], why: string, test: string) =>
	names.map((name) => member(`${of}.${name}`, why, test));

/** Replaced or wrapped. */
export const LIBRARY_HOOKS: readonly LibraryMember[] = [
	member("Provider.prototype.registerGrantType", "stores tokens together", "openid/statements.test.ts"),
	member("Provider.prototype.registerResponseMode", "limits response modes", "openid/response-modes.test.ts"),
	member("policy.consent.checks.native_client_prompt", "limits consents", "openid/code-flow.test.ts"),
	member("provider.Client.find", "finds programs by URL", "openid/programs.test.ts"),
	member("provider.Client.prototype.compareClientSecret", "compares digests", "openid/limits.test.ts"),
	member(
		"provider.Client.prototype.grantTypeAllowed",
		"returns an error of RFC 6749",
		"openid/device-flow.test.ts",
	),
	member("provider.Client.prototype.includeSid", "names the session", "openid/logout.test.ts"),
	member(
		"provider.Client.prototype.redirectUriAllowed",
		"restores a scope",
		"openid/lenient-requests.test.ts",
	),
	member(
		"provider.Client.prototype.responseModeAllowed",
		"limits response modes",
		"openid/response-modes.test.ts",
	),
	member("provider.IdToken.prototype.issue", "names programs by URL", "openid/programs.test.ts"),
	member("provider.RefreshToken.prototype.generateTokenId", "derives successors", "openid/endings.test.ts"),
	member("provider.ReplayDetection.unique", "accepts a proof once", "openid/dpop.test.ts"),
	member("provider.Session.prototype.sidFor", "names the session", "openid/logout.test.ts"),
];

export const LIBRARY_CONTRACT: readonly LibraryMember[] = [
	...LIBRARY_HOOKS,
	member("Provider.ctx", "finds the current request", "openid/code-flow.test.ts"),
	...members(
		"provider",
		["createContext", "middleware"],
		"runs without a connection",
		"openid/code-flow.test.ts",
	),
	...members(
		"provider",
		["registerGrantType", "AccessToken", "ResourceServer"],
		"exchanges tokens",
		"openid/token-exchange.test.ts",
	),
	member("provider.use", "completes responses", "openid/device-flow.test.ts"),
	member("provider.on", "logs refusals", "openid/hostile.test.ts"),
	...members(
		"provider.OIDCContext.prototype",
		["client", "grant", "provider", "requestParamOIDCScopes", "requestParamScopes"],
		"reads the request",
		"openid/scopes.test.ts",
	),
	member(
		"provider.OIDCContext.prototype.clientJwtAuthExpectedAudience",
		"checks every audience of an assertion",
		"openid/private-key-jwt.test.ts",
	),
	...members(
		"provider.Grant.prototype",
		["addOIDCScope", "addResourceScope", "getResourceScopeFiltered", "save"],
		"grants what the user consented to",
		"openid/scopes.test.ts",
	),
	member("provider.Interaction.find", "finds a sign-in in progress", "openid/code-flow.test.ts"),
	member(
		"provider.Interaction.prototype.save",
		"stores the decision of the user",
		"openid/code-flow.test.ts",
	),
	...members(
		"provider.Interaction.IN_PAYLOAD",
		["lastSubmission", "params", "prompt", "result", "returnTo", "session"],
		"completes a sign-in",
		"openid/lenient-requests.test.ts",
	),
	member("provider.IdToken.prototype.set", "adds claims of the client", "openid/client-profiles.test.ts"),
	member("provider.IdToken.validate", "identifies the session at a sign-out", "openid/logout.test.ts"),
	member(
		"provider.AuthorizationCode.IN_PAYLOAD.codeChallenge",
		"recognizes a repeated request",
		"openid/endings.test.ts",
	),
	...members(
		"provider.DeviceCode.IN_PAYLOAD",
		["accountId", "acr", "amr", "authTime", "deviceInfo", "error", "errorDescription"],
		"stores the decision about a device",
		"openid/device-flow.test.ts",
	),
	...members(
		"provider.DeviceCode.IN_PAYLOAD",
		["grantId", "params", "resource", "scope", "sessionUid", "sid", "userCode"],
		"stores the decision about a device",
		"openid/device-flow.test.ts",
	),
	...members(
		"provider.Session.IN_PAYLOAD",
		["accountId", "acr", "amr", "authorizations", "loginTs", "uid"],
		"shows the library the user's own session",
		"openid/second-factor.test.ts",
	),
	...members("interactionPolicy", ["Check", "Prompt", "base"], "adds checks", "openid/second-factor.test.ts"),
	...members("policy", ["consent", "login"], "adds checks", "openid/second-factor.test.ts"),
	...members("errors", ["AccessDenied", "InvalidTarget"], "refuses a request", "openid/resources.test.ts"),
	member("errors.OIDCProviderError", "tells its refusals from defects", "openid/token-exchange.test.ts"),
	member("errors.InvalidClientAuth", "refuses an assertion", "openid/private-key-jwt.test.ts"),
	member("errors.InvalidDpopProof", "refuses a used proof", "openid/dpop.test.ts"),
	member("errors.InvalidGrant", "refuses a used code or token", "openid/endings.test.ts"),
	member("errors.InvalidRequest", "names what a request lacks", "openid/pkce-optional.test.ts"),
	member("errors.InvalidRequestUri", "refuses a used request", "openid/authorization-requests.test.ts"),
	member("errors.InvalidScope", "refuses a request", "openid/scopes.test.ts"),
	...members("errors", ["SlowDown", "UnauthorizedClient"], "refuses a device", "openid/device-flow.test.ts"),
	member("errors.TemporarilyUnavailable", "stops a request beyond its limit", "openid/limits.test.ts"),
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
