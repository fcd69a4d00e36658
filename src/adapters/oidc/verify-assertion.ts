// Verifies an identity assertion (ID-JAG) that another authorization server issued for a client of this one.

import type { JWTPayload } from "jose";
import { ASSERTION_SECONDS, ASSERTION_TYPE, type AssertedUser } from "../../domain/assertion.ts";
import type { IdentityProvider } from "../../domain/identity-provider.ts";
import { FEDERATED_AMR, isProviderUserId } from "../../domain/third-party-account.ts";
import { SECOND_MS } from "../../kernel/clock.ts";
import { isText, listOf } from "../../kernel/shape.ts";
import type { FindIssuerKey } from "./parts.ts";
import { readToken, signatureProblem, timesProblem } from "./signed-token.ts";

interface Expected {
	/** The issuer of this service. */
	readonly audience: string;
	/** The authenticated client: its id, and for a program its URL. */
	readonly clientNames: readonly string[];
	readonly nowMs: number;
	/** An enabled issuer of `assertions` in the tenant of the client. */
	findIssuer(iss: string): Promise<IdentityProvider | undefined>;
	readonly findKey: FindIssuerKey;
}

export interface VerifiedAssertion extends AssertedUser {
	readonly issuer: IdentityProvider;
	/** Unique for the issuer. */
	readonly id: string;
	readonly issuedAtSeconds: number;
	readonly expiresAtSeconds: number;
	/** Every API that it names. */
	readonly resources: readonly string[];
	/** Without a scope, it gives none. */
	readonly scope: string;
}

const areTexts = listOf(isText);

/**
 * Claims first: an assertion that cannot be accepted causes no read of keys.
 *
 * @returns why it is not acceptable, for administrators only.
 */
export async function verifyAssertion(
	assertion: string,
	expected: Expected,
): Promise<VerifiedAssertion | { readonly problem: string }> {
	const read = readToken(assertion);
	if (read === undefined) return { problem: "it is not a signed JWT" };
	const { claims, header } = read;
	if (String(header.typ).toLowerCase() !== ASSERTION_TYPE) return { problem: `typ is not ${ASSERTION_TYPE}` };
	// A list would name servers that could use it, too.
	if (claims.aud !== expected.audience) return { problem: "aud is not this service as one text" };
	if (!expected.clientNames.some((name) => name === claims.client_id))
		return { problem: "client_id is not the authenticated client" };
	const late = timesProblem(claims, Math.floor(expected.nowMs / SECOND_MS), ASSERTION_SECONDS);
	if (late !== undefined) return { problem: late };
	if (!isText(claims.jti) || claims.jti.trim() === "") return { problem: "jti is required" };
	const issuer = isText(claims.iss) ? await expected.findIssuer(claims.iss) : undefined;
	if (issuer === undefined) return { problem: "iss is not an enabled issuer with the use assertions" };
	const subject = claims[issuer.subjectClaim];
	if (!isText(subject) || !isProviderUserId(subject))
		return { problem: `${issuer.subjectClaim} is not the id of a user` };
	const resources = [claims.resource ?? []].flat();
	if (!areTexts(resources)) return { problem: "resource is not text" };
	const wrong = await signatureProblem(assertion, header, issuer, expected.findKey);
	if (wrong !== undefined) return { problem: wrong.reason };
	return { issuer, id: claims.jti, subject, resources, ...timesOf(claims), ...personOf(claims, issuer) };
}

function timesOf({ iat = 0, exp = 0, auth_time: authTime }: JWTPayload) {
	const isPast = Number.isInteger(authTime) && Number(authTime) > 0 && Number(authTime) <= iat;
	return {
		issuedAtSeconds: Math.floor(iat),
		expiresAtSeconds: Math.ceil(exp),
		authTime: isPast ? Number(authTime) : undefined,
	};
}

function personOf({ acr, amr, scope, email, email_verified }: JWTPayload, { mfaAcr }: IdentityProvider) {
	const hasTwoFactors = (areTexts(amr) && amr.includes("mfa")) || (isText(acr) && mfaAcr.includes(acr));
	return {
		amr: hasTwoFactors ? [...FEDERATED_AMR, "mfa"] : FEDERATED_AMR,
		scope: isText(scope) ? scope : "",
		email: isText(email) && email_verified === true ? email : null,
	};
}
