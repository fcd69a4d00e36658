// The guard of AuthZEN: admits a signature, an access token of a service, or an admin key.

import { decideAccess } from "../../../domain/access.ts";
import type { Guard } from "../../../http/describe/guard.ts";
import type { Incoming } from "../../../http/run/incoming.ts";
import { CREDENTIAL_PREFIX } from "../../../kernel/credential-prefix.ts";
import { AppError } from "../../../kernel/error.ts";
import type { Needs } from "../../platform.ts";
import {
	type ApiTokenNeeds,
	invalidToken,
	type PresentedToken,
	readToken,
	verifyApiToken,
} from "../steps/verify-api-token.ts";
import type { Evaluator } from "./evaluate-access.ts";
import type { SignedGuard } from "./signed-guard.ts";
import type { Proof } from "./signed-steps.ts";

const AUTHORIZATION = /^(Bearer|DPoP) +([A-Za-z0-9._~+/-]+=*)$/i;
/** The permission with which a service may ask about an application other than its own. */
const CHECK_PERMISSION = "access:check";

type Needed = ApiTokenNeeds &
	Needs<"oauthClients" | "accessFacts", "publicUrl"> & { readonly signed: SignedGuard["orTest"] };

/**
 * Administrators and users are refused: their tokens are for the API of Latchkey, which has
 * `POST /api/v1/access/explain`.
 *
 * @param keys admits an admin key; receives no other token
 */
export function decisionGuard(
	needed: Needed,
	keys: Guard<{ readonly tenantId: string }>,
): Guard<Evaluator, Proof | undefined> {
	const { signed } = needed;
	return {
		...signed,
		admitsKeys: true,
		admitsServices: true,
		allows: `services; admin keys; ${signed.allows}`,
		errors: [...new Set([...signed.errors, ...keys.errors])],
		beforeBody(request) {
			if (!hasAuthorization(request)) return signed.beforeBody?.(request);
			if (SIGNATURE_HEADERS.some((name) => request.headerValues(name).length > 0))
				throw new AppError("signature.headers", "send either Authorization or a signature, not both");
			return undefined;
		},
		async admit(request, proof) {
			if (proof !== undefined) return await signed.admit(request, proof);
			const presented = tokenOf(request);
			if (!presented.token.startsWith(CREDENTIAL_PREFIX.adminKey))
				return await admitService(needed, request, presented);
			const { tenantId } = await keys.admit(request);
			return { tenantId, appId: "", scopes: ["access:check", "access:check:tenant"], mode: "live" };
		},
		async identify(request) {
			if (!hasAuthorization(request)) await signed.identify?.(request);
		},
		onResponse(request, refusal) {
			if (!hasAuthorization(request)) signed.onResponse?.(request, refusal);
		},
	};
}

/** Those that authenticate. A caller may have other reasons for `X-Tenant-ID` or `X-Timestamp`. */
const SIGNATURE_HEADERS = ["x-api-key", "x-signature"];

function hasAuthorization(request: Incoming): boolean {
	return request.headerValues("authorization").length > 0;
}

function tokenOf(request: Incoming): PresentedToken {
	const [line = "", ...others] = request.headerValues("authorization");
	const [, scheme = "", token] = (others.length === 0 && AUTHORIZATION.exec(line)) || [];
	if (token === undefined)
		throw new AppError("token.missing", "send one header Authorization: Bearer <access token or admin key>");
	return { scheme: scheme.toLowerCase() === "dpop" ? "dpop" : "bearer", token };
}

/**
 * A service asks about the application for whose resource the token is: its own one, or one in which it has the
 * permission `access:check`. Otherwise every caller of an API could ask who else may use it.
 *
 * @throws AppError `token.invalid`, `scope.missing`
 */
async function admitService(
	needed: Needed,
	request: Incoming,
	presented: PresentedToken,
): Promise<Evaluator> {
	const call = {
		method: request.method,
		// What the caller addressed: behind a proxy, the service sees another host.
		url: new URL(`${needed.publicUrl}${request.path}`).href,
		headerValues: (name: string) => request.headerValues(name),
	};
	const claims = await readToken(
		needed,
		presented,
		({ grant_id, act }) => grant_id === undefined && act === undefined,
	);
	const { holder } = await verifyApiToken(needed, call, presented, claims);
	const { tenantId, applicationId } = holder;
	request.tenantId = tenantId;
	request.clientId = applicationId;
	const { oauthClients, accessFacts } = needed.db.stores;
	const appId = (await oauthClients.findByResource(tenantId, claims.aud))?.applicationId;
	if (appId === undefined) throw invalidToken();
	if (appId !== applicationId) {
		const facts = await accessFacts.loadOfCaller(tenantId, { kind: "program", id: applicationId }, appId);
		// The token may be older than the end of the grant.
		const held = [claims.scope?.split(" ") ?? [], decideAccess(facts).permissions];
		if (!held.every((names) => names.includes(CHECK_PERMISSION)))
			throw new AppError(
				"scope.missing",
				`for another application, a service needs the permission ${CHECK_PERMISSION} there`,
			);
	}
	return { tenantId, appId, defaultAppId: appId, scopes: ["access:check"], mode: "live" };
}
