// Reads claims of a provider: untrusted JSON, of which only expected fields are used.

import { ProviderFailure, type ProviderProfile } from "../../domain/provider-gateway.ts";
import { isProviderUserId } from "../../domain/third-party-account.ts";
import { isMembers } from "../../kernel/shape.ts";

/** Verified claims of an ID token, or the body of a profile response. */
export type Claims = Readonly<Record<string, unknown>>;

/**
 * Without members that are null, at any depth: providers in .NET and Java write an absent member as null.
 * Elements of arrays stay.
 */
export function withoutNull(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(withoutNull);
	if (!isMembers(value)) return value;
	const members = Object.entries(value).filter(([, member]) => member !== null);
	return Object.fromEntries(members.map(([name, member]) => [name, withoutNull(member)]));
}

const TEXT_MAX = 255;
const URL_MAX = 2_048;

/** Text of 1 to 255 characters without surrounding space, or null. */
export function claimText(value: unknown): string | null {
	if (typeof value !== "string") return null;
	const text = value.trim();
	return text === "" || text.length > TEXT_MAX || text.includes("\0") || !text.isWellFormed() ? null : text;
}

/** An https URL of at most 2048 characters, or null. */
export function claimUrl(value: unknown): string | null {
	if (typeof value !== "string" || value.length > URL_MAX) return null;
	return URL.parse(value)?.protocol === "https:" ? value : null;
}

/** `true`, or the string `"true"`, which Apple sends. Anything else is false. */
export function isTrue(value: unknown): boolean {
	return value === true || value === "true";
}

/**
 * The provider's stable id, unchanged and never blank.
 *
 * @throws ProviderFailure
 */
export function subjectOf(value: unknown, name = "sub"): string {
	if (typeof value !== "string" || !isProviderUserId(value))
		throw new ProviderFailure("invalid_answer", `the provider returned no usable ${name}`);
	return value;
}

/**
 * For a user with one id per app and another across apps: the wider id is the subject, the narrower one an alias.
 *
 * @param name the name of the wider id, for the message.
 * @throws ProviderFailure when the wider id is present but not usable.
 */
export function subjectsOf(
	narrow: string,
	wide: unknown,
	name: string,
): Pick<ProviderProfile, "subject" | "otherSubjects"> {
	if (wide === undefined || wide === null || wide === "") return { subject: narrow, otherSubjects: [] };
	return { subject: subjectOf(wide, name), otherSubjects: [narrow] };
}

/** The profile from the standard claims of OpenID Connect Core 1.0, section 5.1. @throws ProviderFailure */
export function standardProfile(claims: Claims): ProviderProfile {
	const email = claimText(claims.email);
	return {
		subject: subjectOf(claims.sub),
		otherSubjects: [],
		email,
		isEmailVerified: email !== null && isTrue(claims.email_verified),
		isEmailUnstated: email !== null && claims.email_verified === undefined,
		username: claimText(claims.preferred_username) ?? claimText(claims.nickname),
		displayName: claimText(claims.name),
		avatarUrl: claimUrl(claims.picture),
	};
}
