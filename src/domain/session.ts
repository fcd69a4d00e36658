// A session: opened by a sign-in, owns access tokens.

import { AppError } from "../kernel/error.ts";
import type { Page, PageQuery } from "../kernel/page.ts";
import type { Administrator, Operator } from "./caller.ts";
import type { User } from "./user.ts";

export const ACCESS_TOKEN_SECONDS = 900;
export const REFRESH_SLIDING_SECONDS = 7 * 86_400;
export const REFRESH_ABSOLUTE_SECONDS = 30 * 86_400;
/** Reusing the latest token within this time returns the same successor, because the response may have been lost. */
export const REFRESH_GRACE_SECONDS = 10;

export interface Session {
	readonly id: string;
	readonly tenantId: string;
	readonly userId: string;
	/** The application signed in to, if any. */
	readonly appId: string | null;
	/** Of the current refresh token, from 0: each refresh increments it. */
	readonly generation: number;
	/** Of the secret that all refresh tokens of the session contain. */
	readonly secretDigest: string;
	/** Of the last refresh; the creation at first. */
	readonly rotatedAtMs: number;
	readonly refreshExpiresAtMs: number;
	readonly absoluteExpiresAtMs: number;
	readonly authenticatedAtMs: number;
	/** Authentication methods, RFC 8176. */
	readonly amr: readonly string[];
	/** The slug of the identity provider at which it began; null for every other way. */
	readonly provider: string | null;
	readonly ip: string;
	readonly userAgent: string;
	readonly createdAtMs: number;
	readonly lastUsedAtMs: number;
}

/** The user and session of an access token, read in one statement. */
export interface SessionHolder {
	readonly user: User;
	readonly tenantId: string;
	readonly sessionId: string;
	/** The application that the session belongs to. */
	readonly appId: string | null;
}

/** The caller behind a valid access token. */
export interface SignedIn extends Administrator, SessionHolder {
	readonly userId: string;
	readonly isKey: false;
}

/** An administrator who acts in person, unlike an admin key. */
export type InPerson = SignedIn | Operator;

/** The session of the caller; null for an admin key and the operator. */
export function sessionOf(caller: Administrator | SignedIn): string | null {
	return "sessionId" in caller ? caller.sessionId : null;
}

/**
 * Refuses a session of an application, because the application also has its tokens.
 *
 * @throws AppError `application.token`.
 */
export function checkInPerson({ appId }: SignedIn, action: string): void {
	if (appId !== null)
		throw new AppError(
			"application.token",
			`the token was issued for an application, which may not ${action}: sign in without app_id`,
		);
}

export interface SessionStore {
	insert(session: Session): Promise<void>;
	/** Undefined when the session has ended or expired. One statement, the only one of the Bearer guard. */
	findSignedIn(sessionId: string, nowMs: number): Promise<SessionHolder | undefined>;
	findById(sessionId: string): Promise<Session | undefined>;
	/** Ids of users of the tenant who have sessions, ascending, at most `limit`, after `afterUserId`. */
	listUserIds(tenantId: string, afterUserId: string, limit: number): Promise<string[]>;
	/**
	 * Begins the next generation if `fromGeneration` is the current one. One statement.
	 * @returns false when another request rotated first, or the session ended.
	 */
	rotate(
		sessionId: string,
		fromGeneration: number,
		refreshExpiresAtMs: number,
		origin: { readonly ip: string; readonly userAgent: string },
		nowMs: number,
	): Promise<boolean>;
	/**
	 * Inside a transaction: keeps the session from ending before the transaction ends.
	 *
	 * @returns false when it has ended.
	 */
	hold(tenantId: string, userId: string, sessionId: string): Promise<boolean>;
	/**
	 * Call inside a transaction. Extends the session like a refresh does, at most to its absolute end.
	 */
	extend(sessionId: string, nowMs: number): Promise<void>;
	/** Live sessions of a user; with `onlyId`, at most that one. */
	list(
		tenantId: string,
		userId: string,
		nowMs: number,
		page: PageQuery,
		onlyId?: string,
	): Promise<Page<Session>>;
	/**
	 * Call inside a transaction. Like every method that ends sessions, it queues notices to the relying parties that have a
	 * grant of the session (`LogoutNoticeStore`).
	 */
	end(tenantId: string, userId: string, sessionId: string, nowMs: number): Promise<boolean>;
	/**
	 * Inside a transaction, like `end`: also ends sign-ins that wait for a second factor.
	 * @returns the number of live sessions ended; expired ones are deleted without being counted.
	 */
	endAll(tenantId: string, userId: string, nowMs: number, exceptSessionId?: string): Promise<number>;
	/**
	 * Inside a transaction, like `endAll`, but keeps the sessions that began at the provider.
	 */
	endOfOtherOrigin(tenantId: string, userId: string, provider: string, nowMs: number): Promise<void>;
	/**
	 * Inside a transaction: ends the user's sessions of one application, which have no relying parties to notify, and its
	 * sign-ins that wait for a second factor.
	 * @returns the number of sessions ended.
	 */
	endOfApplication(tenantId: string, userId: string, appId: string): Promise<number>;
	/**
	 * Inside a transaction: ends the sessions that began with an assertion of the issuer. No client has an ID token of them,
	 * so none is notified.
	 */
	endAsserted(tenantId: string, issuerId: string): Promise<number>;
	/**
	 * Inside a transaction, like `end`. Deletes expired sessions, and notes the new expiry of others that were extended, at most
	 * `limit` together.
	 * @returns the number of both.
	 */
	purgeExpired(nowMs: number, limit: number): Promise<number>;
}

/** The result of a sign-in or a refresh. The refresh token is not stored. */
export interface IssuedTokens {
	readonly accessToken: string;
	readonly expiresInSeconds: number;
	readonly refreshToken: string;
	readonly refreshExpiresInSeconds: number;
	readonly user: User;
}
