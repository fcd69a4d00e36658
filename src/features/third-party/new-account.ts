// What a provider says about a person, turned into an account of ours.

import { randomDigits } from "../../crypto/random.ts";
import { parseEmailAddress } from "../../kernel/email-address.ts";
import { DISPLAY_NAME_MAX, placeholderAddress, USERNAME, type User } from "../users/model.ts";
import type { ProviderProfile } from "./model.ts";

const USERNAME_MAX = 64;
/** `-` and four digits, or `-` and twelve of the id. */
const SUFFIX_LENGTH = 13;
const AVATAR_URL_MAX = 2_048;
/** The provider's e-mail in our form, null when it is none; `isVerified` only on the provider's explicit word. */
export function addressOf(
	profile: ProviderProfile,
): { readonly email: string; readonly isVerified: boolean } | null {
	const email = profile.email === null ? undefined : parseEmailAddress(profile.email);
	return email === undefined ? null : { email, isVerified: profile.isEmailVerified };
}

/**
 * An account for a person nobody knows, without a password. Its username is the first of `usernameCandidates` that is
 * free.
 */
export function accountFor(
	profile: ProviderProfile,
	{ id, tenantId, nowMs }: { readonly id: string; readonly tenantId: string; readonly nowMs: number },
): Omit<User, "username"> {
	const address = addressOf(profile);
	return {
		id,
		tenantId,
		email: address?.email ?? placeholderAddress(id),
		emailVerified: address?.isVerified ?? false,
		displayName: plainName(profile.displayName),
		avatarUrl: webAddress(profile.avatarUrl),
		status: "active",
		roles: [],
		mfaEnabled: false,
		lastLoginAtMs: null,
		createdAtMs: nowMs,
		updatedAtMs: nowMs,
	};
}

/**
 * Usernames to try, best first: the provider's, or the beginning of the address, or the name, in ASCII; then the same
 * with digits, and at last with a piece of the account's id, which nobody else has.
 */
export function usernameCandidates(profile: ProviderProfile, userId: string): readonly string[] {
	const local = addressOf(profile)?.email.split("@")[0] ?? null;
	const base =
		[profile.username, local, profile.displayName].map(asciiName).find((name) => name !== "") ?? "user";
	const withDigits = Array.from({ length: 3 }, () => `${base}-${randomDigits(4)}`);
	return [base, ...withDigits, `${base}-${userId.slice(-12)}`].filter((name) => USERNAME.test(name));
}

/** Accents are dropped, what has no ASCII letter becomes `-`; `""` when nothing is left to call anybody by. */
function asciiName(text: string | null): string {
	if (text === null) return "";
	const name = text
		.normalize("NFKD")
		.replaceAll(/\p{M}/gu, "")
		// An address typed as a name: what stands before the @ is the name.
		.replace(/@.*$/s, "")
		.replaceAll(/[^A-Za-z0-9._-]+/g, "-")
		.replace(/^[^A-Za-z0-9]+/, "")
		.slice(0, USERNAME_MAX - SUFFIX_LENGTH)
		.replace(/[^A-Za-z0-9]+$/, "")
		.toLowerCase();
	return name.length === 0 || name.length >= 3 ? name : `${name}-user`;
}

/** One line, without controls or what turns text around, cut to what a display name may be. */
function plainName(text: string | null): string {
	if (text === null) return "";
	const clean = text
		.toWellFormed()
		.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]+/gu, " ")
		.trim();
	return [...clean].slice(0, DISPLAY_NAME_MAX).join("").trim();
}

function webAddress(text: string | null): string {
	const url = text === null || text.length > AVATAR_URL_MAX ? null : URL.parse(text);
	return url === null || url.protocol !== "https:" || url.username !== "" || url.password !== ""
		? ""
		: url.href;
}
