// Decides about a request to an application behind a gate: rule, proof, and access, in a fixed order.

import type { AskedGate } from "../../../domain/gate.ts";
import {
	judgeCaller,
	judgeTestClient,
	type ProvedCaller,
	type ShownCaller,
} from "../../../domain/gate-decision.ts";
import { findRule, PUBLIC } from "../../../domain/gate-rule.ts";
import { isRead, supportReadOnly } from "../../../domain/support-session.ts";
import { AppError } from "../../../kernel/error.ts";
import { invalidToken, type PresentedToken } from "../steps/verify-api-token.ts";
import type { AskedCall, CallProgress } from "./asked-call.ts";
import { preflightMethod } from "./cross-origin.ts";
import type { GateCache } from "./gate-cache.ts";
import { credentialKey, type RefusalLimit } from "./gate-limits.ts";
import { applicationDisabled, noRule, overridden, proofMissing } from "./gate-refusals.ts";
import { holdsTokenOf } from "./own-tokens.ts";
import { presentedCredential, sessionCookieOf, TOKEN_SCHEME } from "./presented-credential.ts";
import { type PartnerNeeds, type ProvedPartner, provePartner } from "./prove-partner.ts";
import { proveSession, type SessionNeeds } from "./prove-session.ts";
import { proveToken, type TokenNeeds } from "./prove-token.ts";

export type DecisionNeeds = PartnerNeeds &
	TokenNeeds &
	SessionNeeds & { readonly gates: GateCache; readonly wrongProofs: RefusalLimit };

export interface PassedCall {
	/** Undefined: the rule is public. */
	readonly caller: ShownCaller | undefined;
	readonly permissions: readonly string[];
	readonly isTest: boolean;
	/** Of a person's sign-in. */
	readonly hasSecondFactor?: boolean;
	/** Of a signed request, lower-case hex. */
	readonly bodySha256: string | undefined;
	/** The method for which a page of another origin asks in advance. */
	readonly preflight?: string | undefined;
}

const TOKEN = /^[A-Za-z0-9._~+/-]+=*$/;

/**
 * Decides by what is stored now. Nothing is written before the nonce of a signature or a DPoP proof is claimed.
 *
 * @param progress receives what becomes known, also if this throws
 * @throws AppError for a request that must not pass.
 */
export async function decideCall(
	needs: DecisionNeeds,
	applicationId: string,
	gate: AskedGate,
	call: AskedCall,
	progress: CallProgress,
): Promise<PassedCall> {
	if (gate.ownTokens === 1) refuseOurToken(needs, call);
	if (gate.appStatus !== "active") throw applicationDisabled();
	if (call.override !== undefined) throw overridden(call.override);
	const rules = needs.gates.rules(gate.rules);
	const preflight = preflightMethod(gate, call);
	const asked = preflight === undefined ? undefined : findRule(rules, preflight, call.target);
	const placed = asked ?? findRule(rules, call.method, call.target);
	if (placed === undefined) throw noRule();
	progress.rule = placed.position;
	if (asked !== undefined || placed.rule.needs === PUBLIC) {
		progress.caller = PUBLIC;
		const isPreflight = asked !== undefined && { preflight };
		return { caller: undefined, permissions: [], isTest: false, bodySha256: undefined, ...isPreflight };
	}
	checkWrongProofs(needs.wrongProofs, applicationId, gate, call);
	const proved = await prove(needs, applicationId, gate, call, progress);
	const accept = needs.gates.accept(gate.accept);
	const { bodySha256 } = proved;
	if ("testClient" in proved) {
		const caller: ShownCaller = { kind: "partner", ...proved.testClient };
		return { caller, permissions: judgeTestClient(accept, placed.rule), isTest: true, bodySha256 };
	}
	const { caller } = proved;
	progress.caller = `${caller.kind}:${caller.id}`;
	progress.chain = caller.chain;
	progress.supporter = caller.supporter;
	const isUpgrade = call.headerValues("upgrade").length > 0;
	if (caller.supporter !== undefined && !isRead(call.method, isUpgrade)) throw supportReadOnly();
	const permissions = judgeCaller(accept, placed.rule, caller);
	return { caller, permissions, isTest: false, hasSecondFactor: caller.hasSecondFactor, bodySha256 };
}

/** The proxy passes Authorization on. @throws AppError `token.invalid` */
function refuseOurToken({ publicUrl }: Pick<DecisionNeeds, "publicUrl">, call: AskedCall): void {
	if (call.headerValues("authorization").some((line) => holdsTokenOf(publicUrl, line)))
		throw new AppError("token.invalid", "this application takes no token of this service in Authorization");
}

/** Before the verification, which costs more. @throws AppError `request.too_many` */
function checkWrongProofs(
	wrongProofs: RefusalLimit,
	applicationId: string,
	gate: AskedGate,
	call: AskedCall,
): void {
	if (wrongProofs.isQuiet) return;
	const credential = presentedCredential(call, gate);
	if (credential !== undefined) wrongProofs.check(credentialKey(applicationId, call.ip, credential));
}

type Proved = ProvedPartner | { readonly caller: ProvedCaller; readonly bodySha256?: undefined };

/** A signature, else a token, else the cookie of a session. */
async function prove(
	needs: DecisionNeeds,
	applicationId: string,
	gate: AskedGate,
	call: AskedCall,
	progress: CallProgress,
): Promise<Proved> {
	const signatures = call.headerValues("x-signature").length;
	const [authorization, ...others] = gate.ownTokens === 1 ? [] : call.headerValues("authorization");
	if (signatures > 1 || others.length > 0 || (signatures > 0 && authorization !== undefined))
		throw new AppError("gate.two_proofs", "send either a signature or Authorization, and each header once");
	if (signatures > 0) return await provePartner(needs, applicationId, gate, call, progress);
	const token = tokenIn(authorization);
	if (token !== undefined) return { caller: await proveToken(needs, applicationId, gate, call, token) };
	const cookie = call.cookie(sessionCookieOf(gate));
	if (cookie !== undefined) return { caller: await proveSession(needs, applicationId, gate, call, cookie) };
	throw proofMissing();
}

/** Ignores other schemes. @throws AppError `token.invalid` for `Bearer` or `DPoP` without a token. */
function tokenIn(authorization: string | undefined): PresentedToken | undefined {
	const [, scheme, rest] = TOKEN_SCHEME.exec(authorization ?? "") ?? [];
	if (scheme === undefined) return undefined;
	const token = rest?.trimStart();
	if (token === undefined || !TOKEN.test(token)) throw invalidToken();
	return { scheme: scheme.toLowerCase() === "dpop" ? "dpop" : "bearer", token };
}
