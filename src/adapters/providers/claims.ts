// Reads what a provider says of a person: strangers' JSON, of which only the expected is taken.

import {
	PROVIDER_USER_ID_MAX,
	ProviderFailure,
	type ProviderProfile,
} from "../../features/third-party/model.ts";

/** Checked claims of an ID token, or the body of a profile answer. */
export type Claims = Readonly<Record<string, unknown>>;

const TEXT_MAX = 255;
const URL_MAX = 2_048;

/** A text of 1 to 255 characters without surrounding space, else null. */
export function claimText(value: unknown): string | null {
	if (typeof value !== "string") return null;
	const text = value.trim();
	return text === "" || text.length > TEXT_MAX || text.includes("\0") || !text.isWellFormed() ? null : text;
}

/** An https URL of at most 2048 characters, else null. */
export function claimUrl(value: unknown): string | null {
	if (typeof value !== "string" || value.length > URL_MAX) return null;
	return URL.parse(value)?.protocol === "https:" ? value : null;
}

/** `true`, or the word as a text, as Apple writes it. Anything else is no. */
export function isTrue(value: unknown): boolean {
	return value === true || value === "true";
}

/**
 * The provider's stable id: never empty, exactly as given.
 *
 * @throws ProviderFailure
 */
export function subjectOf(value: unknown, name = "sub"): string {
	const isGood =
		typeof value === "string" &&
		value.trim() !== "" &&
		value.length <= PROVIDER_USER_ID_MAX &&
		!value.includes("\0") &&
		value.isWellFormed();
	if (!isGood) throw new ProviderFailure("invalid_answer", `the provider gives no usable ${name}`);
	return value;
}

/**
 * Where a person has one id in an app and another in a wider circle: the wider counts, and the narrower finds them, too.
 *
 * @param name of the wider one, for the message
 * @throws ProviderFailure when the wider one is there and not usable
 */
export function subjectsOf(
	narrow: string,
	wide: unknown,
	name: string,
): Pick<ProviderProfile, "subject" | "otherSubjects"> {
	if (wide === undefined || wide === null || wide === "") return { subject: narrow, otherSubjects: [] };
	return { subject: subjectOf(wide, name), otherSubjects: [narrow] };
}

/** The profile by the standard claims of OpenID Connect Core 1.0, section 5.1. @throws ProviderFailure */
export function standardProfile(claims: Claims): ProviderProfile {
	const email = claimText(claims.email);
	return {
		subject: subjectOf(claims.sub),
		otherSubjects: [],
		email,
		isEmailVerified: email !== null && isTrue(claims.email_verified),
		username: claimText(claims.preferred_username) ?? claimText(claims.nickname),
		displayName: claimText(claims.name),
		avatarUrl: claimUrl(claims.picture),
	};
}
