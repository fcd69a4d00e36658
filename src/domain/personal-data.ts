// What an export of a user's data contains beyond the lists that other stores return.

import { AppError, tooMany } from "../kernel/error.ts";
import type { Page, PageQuery } from "../kernel/page.ts";
import type { AccessRequest } from "./access-request.ts";
import type { OAuthGrant } from "./oauth-record.ts";
import type { ProgramRequest } from "./program-request.ts";
import type { RecoveryLink } from "./recovery-link.ts";
import type { Refusal } from "./refusal.ts";
import { FRESH_SIGN_IN_SECONDS } from "./second-factor.ts";
import type { ThirdPartyAccount } from "./third-party-account.ts";

/** A user's exports of their own data in 24 hours. */
export const OWN_EXPORTS_PER_DAY = 3;

/** A request for a program that the user joined. */
export interface JoinedProgramRequest
	extends Pick<ProgramRequest, "id" | "url" | "status" | "reviewNote" | "reviewedAtMs" | "createdAtMs"> {
	/** As the user wrote it. */
	readonly reason: string;
}

type Pages<T> = (tenantId: string, userId: string, page: PageQuery) => Promise<Page<T>>;

/** Lists rows about one user, without digests, newest first unless noted. */
export interface PersonalDataStore {
	/** Present and former usernames, sorted. */
	readonly listUsernames: Pages<{ readonly name: string }>;
	/** Most recently used first. */
	readonly listDevices: Pages<{ readonly lastSeenAtMs: number }>;
	/** Further ids of the user at identity providers, sorted. */
	readonly listAliases: Pages<Pick<ThirdPartyAccount, "provider" | "providerUserId">>;
	/** What applications hold to act for the user. */
	readonly listApplicationSessions: Pages<Omit<OAuthGrant, "tenantId" | "userId" | "payload">>;
	readonly listProgramRequests: Pages<JoinedProgramRequest>;
	/** Valid links that were mailed to the user. */
	readonly listLinks: Pages<
		Pick<RecoveryLink, "email" | "createdAtMs"> & { readonly purpose: string; readonly expiresAtMs: number }
	>;
	/** Refused calls at gates. */
	readonly listRefusals: Pages<Refusal>;
	/** With exactly this address, which the caller has verified to be the user's. */
	listAccessRequests(tenantId: string, email: string, page: PageQuery): Promise<Page<AccessRequest>>;
}

export function signInTooOld(): AppError {
	const minutes = FRESH_SIGN_IN_SECONDS / 60;
	return new AppError(
		"session.too_old",
		`this needs a sign-in within the last ${minutes} minutes, sign in again`,
	);
}

/** @param seconds until the next export is possible */
export function tooManyExports(seconds: number): AppError {
	return tooMany("export.too_many", `at most ${OWN_EXPORTS_PER_DAY} exports a day`, {
		limit: OWN_EXPORTS_PER_DAY,
		seconds,
	});
}
