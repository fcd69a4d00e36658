// The decision of a gate about a recognized caller. Pure functions over loaded facts.

import { AppError } from "../kernel/error.ts";
import { type AccessFacts, type DecisionReason, heldNames, judgeAccess, permits } from "./access.ts";
import type { CallerKind } from "./gate.ts";
import { type GateRule, SIGNED_IN } from "./gate-rule.ts";
import { MULTI_FACTOR_ACR } from "./openid-provider.ts";

/** A caller as the application sees it. */
export interface ShownCaller {
	readonly kind: CallerKind;
	readonly id: string;
	readonly name: string;
	/** The program that holds a person's token. */
	readonly through?: string | undefined;
	/** If that program acts for the person: it, and the program at which the person signed in. */
	readonly chain?: readonly [actor: string, front: string];
	/** In a support session: the supporter, as `user:<id>`. */
	readonly supporter?: string;
}

/** A caller whose proof is valid, with the facts that are stored now. */
export interface ProvedCaller extends ShownCaller {
	readonly facts: AccessFacts;
	/** The scopes of the caller's token; undefined if they do not limit it. */
	readonly scopes?: readonly string[] | undefined;
	/** Whether a person signed in with a second factor. */
	readonly hasSecondFactor: boolean;
	/** Whether the tenant or the application requires a second factor from a person without one. */
	readonly isFactorRequired?: boolean;
}

/**
 * Checks the kind of the caller, access to the application, the permission, the scope of its token, and the second
 * factor, in this order.
 *
 * @returns the permissions of the caller, sorted: those of its roles, or those of its token if it has one with scopes.
 * @throws AppError `gate.caller_kind`, `application.access_denied`, `scope.missing`, `mfa.required` (401).
 */
export function judgeCaller(
	accept: readonly CallerKind[],
	rule: GateRule,
	caller: ProvedCaller,
): readonly string[] {
	requireAccepted(accept, caller.kind);
	const permission = rule.needs === SIGNED_IN ? undefined : rule.needs;
	const reason = judgeAccess(caller.facts, permission);
	if (reason !== "ok") throw accessDenied(reason);
	const { scopes } = caller;
	if (permission !== undefined && scopes !== undefined && !scopes.includes(permission))
		throw scopeMissing(permission);
	const isFactorRequired = rule.mfa === true || caller.isFactorRequired === true;
	if (caller.kind === "person" && isFactorRequired && !caller.hasSecondFactor) throw secondFactorRequired();
	const held = heldNames(caller.facts, reason).permissions;
	return scopes === undefined
		? held
		: scopes.filter((scope) => held.some((own) => permits(own, scope))).sort();
}

/**
 * A test client passes only rules that accept it, with the permission that they need. No stored record decides.
 *
 * @returns its permissions
 * @throws AppError `gate.test_client`, `gate.caller_kind`.
 */
export function judgeTestClient(accept: readonly CallerKind[], rule: GateRule): readonly string[] {
	if (rule.test !== true)
		throw new AppError("gate.test_client", "the rule accepts no test clients: it has no test: true");
	requireAccepted(accept, "partner");
	return rule.needs === SIGNED_IN ? [] : [rule.needs];
}

/** @throws AppError `gate.caller_kind`. */
function requireAccepted(accept: readonly CallerKind[], kind: CallerKind): void {
	if (accept.includes(kind)) return;
	throw new AppError("gate.caller_kind", `the gate accepts no caller of the kind ${kind}`);
}

function accessDenied(reason: DecisionReason): AppError {
	return new AppError("application.access_denied", `the caller may not do this here (${reason})`, {
		headers: { "latchkey-reason": reason },
	});
}

/** RFC 6750, section 3.1. */
function scopeMissing(permission: string): AppError {
	return new AppError("scope.missing", `the access token lacks the scope ${permission}`, {
		headers: { "www-authenticate": `Bearer error="insufficient_scope", scope="${permission}"` },
	});
}

/** RFC 9470, section 3. */
function secondFactorRequired(): AppError {
	const challenge = `Bearer error="insufficient_user_authentication", acr_values="${MULTI_FACTOR_ACR}"`;
	return new AppError("mfa.required", "this requires a sign-in with a second factor", {
		kind: "unauthenticated",
		headers: { "www-authenticate": challenge },
	});
}
