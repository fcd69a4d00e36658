// Verifies tokens that issuers of a tenant signed.

import {
	decodeJwt,
	decodeProtectedHeader,
	importJWK,
	type JWTPayload,
	type ProtectedHeaderParameters,
} from "jose";
import { JOSEError } from "jose/errors";
import { compactVerify } from "jose/jws/compact/verify";
import type { IdentityProvider } from "../../domain/identity-provider.ts";
import { CLIENT_SIGNATURES } from "./client-assertions.ts";
import type { FindIssuerKey } from "./parts.ts";

/** Clock skew of issuers. */
const TOLERANCE_SECONDS = 60;

export interface UnverifiedToken {
	readonly claims: JWTPayload;
	readonly header: ProtectedHeaderParameters;
}

export function readToken(token: string): UnverifiedToken | undefined {
	try {
		return { claims: decodeJwt(token), header: decodeProtectedHeader(token) };
	} catch {
		return undefined;
	}
}

/** @returns why its times are not acceptable; undefined if they are. */
export function timesProblem(
	{ iat, exp, nbf }: JWTPayload,
	now: number,
	longestSeconds: number,
): string | undefined {
	if (!Number.isFinite(iat) || !Number.isFinite(exp) || iat === undefined || exp === undefined)
		return "iat and exp are required";
	if (exp <= now) return "it has expired";
	if (iat > now + TOLERANCE_SECONDS) return "iat is in the future";
	if (nbf !== undefined && !(nbf <= now + TOLERANCE_SECONDS)) return "nbf is in the future";
	return exp - iat > longestSeconds ? `exp is more than ${longestSeconds} seconds after iat` : undefined;
}

/** Why a token was refused, for administrators only. The class is from a closed list, for metrics. */
export interface TokenProblem<Class extends string> {
	readonly class: Class;
	readonly reason: string;
}

/** Call it last, because it may read the keys of the issuer. @returns why the token is not signed by the issuer. */
export async function signatureProblem(
	token: string,
	{ alg = "", kid }: ProtectedHeaderParameters,
	issuer: IdentityProvider,
	findKey: FindIssuerKey,
): Promise<TokenProblem<"algorithm" | "key" | "signature"> | undefined> {
	if (!CLIENT_SIGNATURES.includes(alg)) return { class: "algorithm", reason: "alg is not supported" };
	const key = await findKey(issuer, kid);
	if (key === undefined) return { class: "key", reason: "its kid is not among the keys of the issuer" };
	if (await isSigned(token, key, alg)) return undefined;
	return { class: "signature", reason: "its signature is not valid" };
}

/** Keys are cached objects, so each is imported once for its algorithm. */
const imported = new WeakMap<object, Map<string, ReturnType<typeof importJWK>>>();

export function importOnce(
	key: Readonly<Record<string, unknown>>,
	alg: string,
): ReturnType<typeof importJWK> {
	const known = imported.get(key) ?? new Map();
	imported.set(key, known);
	const made = known.get(alg) ?? importJWK(key, alg);
	known.set(alg, made);
	return made;
}

/** The key decides which algorithms it verifies; its own `alg`, if any, is the only one. */
async function isSigned(
	token: string,
	key: Readonly<Record<string, unknown>>,
	alg: string,
): Promise<boolean> {
	if (key.alg !== undefined && key.alg !== alg) return false;
	try {
		await compactVerify(token, await importOnce(key, alg), { algorithms: [alg] });
		return true;
	} catch (error) {
		if (error instanceof JOSEError || error instanceof TypeError || error instanceof DOMException)
			return false;
		throw error;
	}
}
