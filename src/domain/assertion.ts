// Identity assertions (draft-ietf-oauth-identity-assertion-authz-grant): one authorization server vouches for its users at
// another one.

import { invalidEntries, invalidField } from "../kernel/error.ts";
import { type Problem, problem } from "../kernel/field-reason.ts";
import { isText, listOf, objectOf, type Shape } from "../kernel/shape.ts";

/** Of a client. */
export const ASSERTION_AUDIENCES_MAX = 20;
/** Of an issuer. */
export const MFA_ACR_MAX = 10;
export const ACR_MAX = 255;

/** The longest time from `iat` to `exp` of an assertion, also of those that this service issues. */
export const ASSERTION_SECONDS = 300;
/** `typ` of its header. */
export const ASSERTION_TYPE = "oauth-id-jag+jwt";

/** What a verified assertion says about a user. */
export interface AssertedUser {
	/** The value of the issuer's `subject_claim`. */
	readonly subject: string;
	/** Null unless the issuer says that it is verified. */
	readonly email: string | null;
	/** Authentication methods (RFC 8176): `fed`, and `mfa` after a sign-in with two factors. */
	readonly amr: readonly string[];
	/** When the user signed in there, in seconds; undefined if it does not say. */
	readonly authTime: number | undefined;
}

/** Where a client may carry its users. */
export interface AssertionAudience {
	/** Of the other authorization server: the `aud` of the assertions. */
	readonly issuer: string;
	/** The client there: the `client_id` of the assertions. */
	readonly clientId: string;
}

export const areAssertionAudiences: Shape<readonly AssertionAudience[]> = listOf(
	objectOf({ issuer: isText, clientId: isText }),
);

/** As audit events show them. */
export function audienceNames(audiences: readonly AssertionAudience[]): string[] {
	return audiences.map(({ issuer, clientId }) => `${issuer} as ${clientId}`);
}

/** Visible ASCII without `\`, so that every parser reads the same URL. It is compared, and never called. */
const ISSUER = /^https:\/\/[\x21-\x5b\x5d-\x7e]+$/;

/**
 * A client that gets assertions authenticates, because the holder of one acts for its user elsewhere.
 *
 * @param publicUrl of this service, whose own APIs need no assertion.
 * @throws AppError `request.invalid` (`assertion_audiences`).
 */
export function checkAssertionAudiences(
	audiences: readonly AssertionAudience[],
	isPublic: boolean,
	publicUrl: string,
): void {
	if (audiences.length > 0 && isPublic) throw invalidField("assertion_audiences", "absent_for_public");
	const issuers = audiences.map(({ issuer }) => issuer);
	const problems = issuers.flatMap((issuer, index) => {
		const wrong = issuerProblem(issuer, publicUrl);
		if (wrong !== undefined) return [{ index, problem: wrong }];
		return issuers.indexOf(issuer) < index ? [{ index, problem: problem("duplicate") }] : [];
	});
	if (problems.length > 0) throw invalidEntries("assertion_audiences", problems);
}

/** RFC 8414, section 2. */
function issuerProblem(text: string, publicUrl: string): Problem | undefined {
	const url = ISSUER.test(text) ? URL.parse(text) : null;
	if (url === null) return problem("https_url");
	if (text.includes("#")) return problem("url_fragment");
	if (text.includes("?")) return problem("issuer_query");
	if (url.username !== "" || url.password !== "") return problem("url_credentials");
	return url.origin === new URL(publicUrl).origin ? problem("own_url") : undefined;
}
