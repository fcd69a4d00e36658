// Creates an instance of the library, with the hooks that its configuration lacks.

import Provider, { type Client, type Context, errors, type ProviderFault } from "oidc-provider";
import { NO_CALLER } from "../../domain/refusal.ts";
import { AppError } from "../../kernel/error.ts";
import { addOwnClaims, completeUserinfo } from "./account.ts";
import { checkAuthorizationRequests } from "./authorization-request.ts";
import { DEVICE_GRANT, JWT_BEARER_GRANT, SECRET_DIGESTS } from "./client-metadata.ts";
import { createConfiguration } from "./configuration.ts";
import { completeDeviceResponse } from "./devices.ts";
import { introspectSigned, UNSUPPORTED } from "./introspection.ts";
import { IssuingProvider } from "./issued-tokens.ts";
import { theCall } from "./library-call.ts";
import { checkMembers, checkModule } from "./library-contract.ts";
import type { LibraryParts, PrivateKeyJwk, ProviderParts } from "./parts.ts";
import { CHALLENGE_MISSING } from "./pkce.ts";
import { announcePrograms, nameClients } from "./programs.ts";
import type { Records } from "./records.ts";
import { redeemAssertions } from "./redeem-assertion.ts";
import { exchangeTokens } from "./token-exchange.ts";
import { useProofsOnce } from "./used-proofs.ts";

const FAULTS = [
	"authorization.error",
	"pushed_authorization_request.error",
	"device_authorization.error",
	"grant.error",
	"userinfo.error",
	"revocation.error",
	"discovery.error",
];

export function createLibrary(
	parts: LibraryParts,
	records: Records,
	keys: readonly PrivateKeyJwk[],
): Provider {
	checkModule();
	const configuration = createConfiguration(parts, records, keys);
	const provider = new IssuingProvider(parts.issuer, configuration, parts, records);
	checkMembers({ provider });
	provider.Client.prototype.compareClientSecret = async function (this: Client, secret: string) {
		if (!parts.matchesDigest(secret, this[SECRET_DIGESTS])) return false;
		await theCall().countClient(this.clientId);
		return true;
	};
	// Applies to requests for a code. Others are refused for their response type, which may imply a mode.
	provider.Client.prototype.responseModeAllowed = function (this: Client, mode: string, type?: string) {
		return type === undefined || type.includes("token") || this.responseModes.includes(mode);
	};
	// The library returns `invalid_request` (RFC 6749, section 5.2).
	provider.Client.prototype.grantTypeAllowed = function (this: Client, type: string) {
		const isAllowed = this.grantTypes.includes(type);
		if (!isAllowed && type === DEVICE_GRANT && Provider.ctx?.oidc?.route === "device_authorization")
			throw new errors.UnauthorizedClient("device_flow is not enabled for this client");
		if (!isAllowed && type === JWT_BEARER_GRANT)
			throw new errors.UnauthorizedClient("assertions are for clients that sign users in and authenticate");
		return isAllowed;
	};
	// Every ID token names its session, so that a logout finds it.
	provider.Client.prototype.includeSid = () => true;
	provider.Session.prototype.sidFor = function (
		this: { readonly uid: string },
		_clientId: string,
		sid?: string,
	) {
		return sid === undefined ? this.uid : undefined;
	};
	provider.RefreshToken.prototype.generateTokenId = () => {
		const { rotating } = theCall();
		return rotating === undefined ? parts.randomToken() : parts.successor(rotating);
	};
	exchangeTokens(provider, parts, keys);
	redeemAssertions(provider, parts, records);
	checkAuthorizationRequests(provider);
	nameClients(provider);
	addOwnClaims(provider);
	provider.ReplayDetection.unique = useProofsOnce(parts, records);
	provider.use(introspectSigned(parts));
	provider.use(completeDeviceResponse(parts));
	provider.use(announcePrograms(parts));
	provider.use(completeUserinfo);
	provider.on("introspection.error", (context, fault) => {
		if (fault.error !== UNSUPPORTED) reportRefusal(parts, context, fault);
	});
	for (const event of FAULTS) provider.on(event, (context, fault) => reportRefusal(parts, context, fault));
	provider.on("server_error", (_context: Context, fault: ProviderFault) => {
		const call = theCall();
		// The library would return 500, even while the database is unavailable.
		if (fault instanceof AppError) call.fail(fault);
		else parts.log.error({ request_id: call.origin.requestId, err: fault }, "OpenID provider failed");
	});
	return provider;
}

/** Expected responses to devices that poll, and to requests with `prompt=none`. */
const EXPECTED = ["authorization_pending", "slow_down", "login_required", "consent_required"];
const REASON_MAX = 500;

/** Logs more detail than the response reveals, and lists the refusal for the administrators of the client. */
function reportRefusal(
	{ log, clock, refusals }: ProviderParts,
	{ req, oidc }: Context,
	fault: ProviderFault,
) {
	const { requestId, ip } = theCall().origin;
	const { error = "server_error", error_description: description, error_detail: detail } = fault;
	const texts = [error, description, detail].filter((text) => text !== undefined);
	log.info({ request_id: requestId, error: texts.join(": ") }, "OpenID provider refused");
	if (oidc.client === undefined || EXPECTED.includes(error)) return;
	const { redirect_uri: uri } = oidc.params;
	// By the redirect URI, the console recognizes the library that sends no challenge.
	const isOfLibrary = description?.startsWith(CHALLENGE_MISSING) === true && uri !== undefined;
	const named = isOfLibrary ? `; redirect_uri: ${uri}` : "";
	const sent = error === "invalid_redirect_uri" ? `: ${uri}` : named;
	refusals.record({
		subject: "oauth_client",
		applicationId: oidc.client.clientId,
		atMs: clock(),
		code: error,
		reason: `${detail ?? description ?? ""}${sent}`.slice(0, REASON_MAX),
		method: String(req.method),
		path: new URL(String(req.url), "https://localhost").pathname,
		rule: null,
		caller: NO_CALLER,
		ip,
		requestId,
	});
}
