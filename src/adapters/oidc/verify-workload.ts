// Verifies the token that the platform of a workload issued.

import type { JWTPayload } from "jose";
import { ASSERTION_TYPE } from "../../domain/assertion.ts";
import type { IdentityProvider } from "../../domain/identity-provider.ts";
import { matchesSubject, WORKLOAD_TOKEN_SECONDS_MAX, type Workload } from "../../domain/workload.ts";
import { SECOND_MS } from "../../kernel/clock.ts";
import type { FindIssuerKey } from "./parts.ts";
import { readToken, signatureProblem, type TokenProblem, timesProblem } from "./signed-token.ts";

interface Expected {
	readonly workloads: readonly Workload[];
	/** The enabled issuers of `workloads` in the tenant of the client. */
	readonly issuers: readonly IdentityProvider[];
	/** The issuer of this service. */
	readonly ownIssuer: string;
	readonly nowMs: number;
}

export type WorkloadProblem = TokenProblem<
	"type" | "malformed" | "issuer" | "lifetime" | "subject" | "audience" | "algorithm" | "key" | "signature"
>;

/**
 * Claims first: a token that cannot be accepted causes no read of keys.
 *
 * @returns undefined if one of the workloads holds the token, otherwise why none does.
 */
export async function workloadProblem(
	token: string,
	expected: Expected,
	findKey: FindIssuerKey,
): Promise<WorkloadProblem | undefined> {
	const read = readToken(token);
	if (read === undefined) return { class: "malformed", reason: "it is not a signed JWT" };
	const { claims, header } = read;
	// Its issuer may sign both, and an assertion names a user.
	if (String(header.typ).toLowerCase() === ASSERTION_TYPE)
		return { class: "type", reason: "it is an identity assertion, which vouches for a user" };
	const issuers = expected.issuers.filter(({ issuer }) => issuer === claims.iss);
	if (issuers.length === 0)
		return { class: "issuer", reason: "iss is not an enabled issuer of its workloads" };
	const late = lifetimeProblem(claims, Math.floor(expected.nowMs / SECOND_MS));
	if (late !== undefined) return { class: "lifetime", reason: late };
	let last: WorkloadProblem = { class: "subject", reason: "sub and claims match none of its workloads" };
	for (const issuer of issuers) {
		const isHeld = expected.workloads.some((one) => one.issuerId === issuer.id && matches(one, claims));
		if (!isHeld) continue;
		// Kubernetes writes a list of one. A longer one names services that could use the token here.
		const [audience, ...others] = [claims.aud].flat();
		if (others.length > 0 || audience !== (issuer.audience ?? expected.ownIssuer))
			last = { class: "audience", reason: "aud is not exactly the expected audience" };
		else {
			const wrong = await signatureProblem(token, header, issuer, findKey);
			if (wrong === undefined) return undefined;
			last = wrong;
		}
	}
	return last;
}

function lifetimeProblem(claims: JWTPayload, now: number): string | undefined {
	const problem = timesProblem(claims, now, WORKLOAD_TOKEN_SECONDS_MAX);
	// Kubernetes adds seconds to some tokens: those are longer than asked.
	return problem?.startsWith("exp ")
		? `${problem}: in Kubernetes, set expirationSeconds: ${WORKLOAD_TOKEN_SECONDS_MAX}`
		: problem;
}

function matches({ subject, claims: wanted }: Workload, claims: JWTPayload): boolean {
	if (typeof claims.sub !== "string" || !matchesSubject(subject, claims.sub)) return false;
	return Object.entries(wanted).every(
		([name, value]) => Object.hasOwn(claims, name) && claims[name] === value,
	);
}
