// Derives the fields of a new account from a provider's profile.

import { randomDigits } from "../../../crypto/random.ts";
import type { ProviderProfile } from "../../../domain/provider-gateway.ts";
import { DISPLAY_NAME_MAX, placeholderAddress, USERNAME, USERNAME_MAX } from "../../../domain/user.ts";
import { parseEmailAddress } from "../../../kernel/email-address.ts";
import { shownTextProblem, withoutHidden } from "../../../kernel/shown-text.ts";

/** `-` and four random digits, or `-` and the last twelve characters of the user id. */
const SUFFIX_LENGTH = 13;
const AVATAR_URL_MAX = 2_048;

/** The profile's email address in canonical form, or null. `isVerified` only if the provider says so explicitly. */
export function addressOf(
	profile: ProviderProfile,
): { readonly email: string; readonly isVerified: boolean } | null {
	const email = profile.email === null ? undefined : parseEmailAddress(profile.email);
	return email === undefined ? null : { email, isVerified: profile.isEmailVerified };
}

/**
 * The fields of a new account with this id, except the username: the first free one of `usernameCandidates`.
 */
export function accountFields(profile: ProviderProfile, id: string) {
	const address = addressOf(profile);
	return {
		id,
		email: address?.email ?? placeholderAddress(id),
		emailVerified: address?.isVerified ?? false,
		displayName: plainName(profile.displayName),
		avatarUrl: httpsUrl(profile.avatarUrl),
	};
}

/**
 * Usernames to try in order: the provider's username, the local part of the email address, or the name, in ASCII; then
 * the same with random digits; finally with a part of the user id, which is unique.
 */
export function usernameCandidates(profile: ProviderProfile, userId: string): readonly string[] {
	const local = addressOf(profile)?.email.split("@")[0] ?? null;
	const base =
		[profile.username, local, profile.displayName].map(asciiName).find((name) => name !== "") ?? "user";
	const withDigits = Array.from({ length: 3 }, () => `${base}-${randomDigits(4)}`);
	return [base, ...withDigits, `${base}-${userId.slice(-12)}`].filter((name) => USERNAME.test(name));
}

/** Drops accents and replaces other non-ASCII characters with `-`. Returns `""` if nothing is left. */
function asciiName(text: string | null): string {
	if (text === null) return "";
	// If the name is an email address, take its local part.
	const [localPart = ""] = text.normalize("NFKD").split("@", 1);
	const cut = localPart
		.replaceAll(/\p{M}/gu, "")
		.replaceAll(/[^A-Za-z0-9._-]+/g, "-")
		.replace(/^[^A-Za-z0-9]+/, "")
		.slice(0, USERNAME_MAX - SUFFIX_LENGTH)
		.toLowerCase();
	const name = /^.*[a-z0-9]/.exec(cut)?.[0] ?? "";
	return name.length === 0 || name.length >= 3 ? name : `${name}-user`;
}

/** One line without hidden characters, truncated to `DISPLAY_NAME_MAX`; `""` if nothing visible is left. */
export function plainName(text: string | null): string {
	const cut = [...(text ?? "")].slice(0, DISPLAY_NAME_MAX).join("");
	const name = withoutHidden(cut, "line", () => " ")
		.replaceAll(/\s+/gu, " ")
		.trim();
	return shownTextProblem(name, "name") === undefined ? name : "";
}

function httpsUrl(text: string | null): string {
	const url = text === null || text.length > AVATAR_URL_MAX ? null : URL.parse(text);
	return url === null || url.protocol !== "https:" || url.username !== "" || url.password !== ""
		? ""
		: url.href;
}
