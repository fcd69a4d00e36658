// Verifies the token that the platform of a workload issued.

import { decodeJwt, decodeProtectedHeader, importJWK, type JWTPayload } from "jose";
import { JOSEError } from "jose/errors";
import { compactVerify } from "jose/jws/compact/verify";
import type { IdentityProvider } from "../../domain/identity-provider.ts";
import { matchesSubject, WORKLOAD_TOKEN_SECONDS_MAX, type Workload } from "../../domain/workload.ts";
import { SECOND_MS } from "../../kernel/clock.ts";
import { CLIENT_SIGNATURES } from "./client-assertions.ts";
import type { FindIssuerKey } from "./issuer-keys.ts";

/** Clock skew of the platform. */
const TOLERANCE_SECONDS = 60;

interface Expected {
	readonly workloads: readonly Workload[];
	/** The enabled issuers of `workloads` in the tenant of the client. */
	readonly issuers: readonly IdentityProvider[];
	/** The issuer of this service. */
	readonly ownIssuer: string;
	readonly nowMs: number;
}

/**
 * Claims first: a token that cannot be accepted causes no read of keys.
 *
 * @returns undefined if one of the workloads holds the token, otherwise why none does, for administrators only.
 */
export async function workloadProblem(
	token: string,
	expected: Expected,
	findKey: FindIssuerKey,
): Promise<string | undefined> {
	const read = readToken(token);
	if (read === undefined) return "it is not a signed JWT";
	const { claims, header } = read;
	const issuers = expected.issuers.filter(({ issuer }) => issuer === claims.iss);
	if (issuers.length === 0) return "iss is not an enabled issuer of its workloads";
	const late = lifetimeProblem(claims, Math.floor(expected.nowMs / SECOND_MS));
	if (late !== undefined) return late;
	const { alg = "", kid } = header;
	if (!CLIENT_SIGNATURES.includes(alg)) return "alg is not supported";
	let last = "sub and claims match none of its workloads";
	for (const issuer of issuers) {
		const isHeld = expected.workloads.some((one) => one.issuerId === issuer.id && matches(one, claims));
		if (!isHeld) continue;
		// Kubernetes writes a list of one. A longer one names services that could use the token here.
		const [audience, ...others] = [claims.aud].flat();
		if (others.length > 0 || audience !== (issuer.audience ?? expected.ownIssuer))
			last = "aud is not exactly the expected audience";
		else {
			const key = await findKey(issuer, kid);
			if (key === undefined) last = "its kid is not among the keys of the issuer";
			else if (await isSigned(token, key, alg)) return undefined;
			else last = "its signature is not valid";
		}
	}
	return last;
}

function readToken(token: string) {
	try {
		return { claims: decodeJwt(token), header: decodeProtectedHeader(token) };
	} catch {
		return undefined;
	}
}

function lifetimeProblem({ iat, exp, nbf }: JWTPayload, now: number): string | undefined {
	if (!Number.isFinite(iat) || !Number.isFinite(exp) || iat === undefined || exp === undefined)
		return "iat and exp are required";
	if (exp <= now) return "it has expired";
	if (iat > now + TOLERANCE_SECONDS) return "iat is in the future";
	if (nbf !== undefined && !(nbf <= now + TOLERANCE_SECONDS)) return "nbf is in the future";
	// Kubernetes adds seconds to some tokens: those are longer than asked.
	return exp - iat > WORKLOAD_TOKEN_SECONDS_MAX
		? `exp is more than ${WORKLOAD_TOKEN_SECONDS_MAX} seconds after iat: in Kubernetes, set expirationSeconds: ${WORKLOAD_TOKEN_SECONDS_MAX}`
		: undefined;
}

function matches({ subject, claims: wanted }: Workload, claims: JWTPayload): boolean {
	if (typeof claims.sub !== "string" || !matchesSubject(subject, claims.sub)) return false;
	return Object.entries(wanted).every(
		([name, value]) => Object.hasOwn(claims, name) && claims[name] === value,
	);
}

/** The key decides which algorithms it verifies; its own `alg`, if any, is the only one. */
async function isSigned(
	token: string,
	key: Readonly<Record<string, unknown>>,
	alg: string,
): Promise<boolean> {
	if (key.alg !== undefined && key.alg !== alg) return false;
	try {
		await compactVerify(token, await importJWK(key, alg), { algorithms: [alg] });
		return true;
	} catch (error) {
		if (error instanceof JOSEError || error instanceof TypeError || error instanceof DOMException)
			return false;
		throw error;
	}
}
