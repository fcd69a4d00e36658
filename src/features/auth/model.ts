// Sign-in: sessions, mailed codes, counted failures, and what is asked of their stores.

import type { Page, PageQuery } from "../../kernel/page.ts";
import type { User } from "../users/model.ts";

export const ACCESS_TOKEN_SECONDS = 900;
export const REFRESH_SLIDING_SECONDS = 7 * 86_400;
export const REFRESH_ABSOLUTE_SECONDS = 30 * 86_400;
/** Within this time the token used before answers the same successor again: a lost answer, not a theft. */
export const REFRESH_GRACE_SECONDS = 10;

export const CODE_SECONDS = 600;
export const CODE_TRIES = 5;
export const CODE_RESEND_SECONDS = 60;
export const CODE_SENDS_PER_HOUR = 5;

export interface Session {
	readonly id: string;
	readonly tenantId: string;
	readonly userId: string;
	/** The application signed in to, if one was named. */
	readonly appId: string | null;
	readonly refreshDigest: string;
	readonly refreshExpiresAtMs: number;
	readonly absoluteExpiresAtMs: number;
	readonly authenticatedAtMs: number;
	/** How it was proved, RFC 8176: `pwd`. */
	readonly amr: readonly string[];
	readonly ip: string;
	readonly userAgent: string;
	readonly createdAtMs: number;
	readonly lastUsedAtMs: number;
}

/** Whoever holds a valid access token, as the Bearer guard hands them on: the rows behind it, read once. */
export interface SignedIn {
	readonly user: User;
	readonly tenantId: string;
	readonly sessionId: string;
	readonly appId: string | null;
}

export interface SessionStore {
	insert(session: Session): Promise<void>;
	/** The session's user, in one statement: undefined when the session ended or expired. The Bearer guard's only query. */
	findSignedIn(sessionId: string, nowMs: number): Promise<SignedIn | undefined>;
	findById(sessionId: string): Promise<Session | undefined>;
	findByRefreshDigest(digest: string): Promise<Session | undefined>;
	/**
	 * Rotates only if `fromDigest` is still the current one, and records it as used.
	 * @returns false when another request rotated first.
	 */
	rotate(
		sessionId: string,
		fromDigest: string,
		to: { readonly digest: string; readonly refreshExpiresAtMs: number },
		origin: { readonly ip: string; readonly userAgent: string },
		nowMs: number,
	): Promise<boolean>;
	findUsedRefresh(
		digest: string,
	): Promise<{ readonly sessionId: string; readonly usedAtMs: number } | undefined>;
	/** Live sessions of a user. */
	list(tenantId: string, userId: string, nowMs: number, page: PageQuery): Promise<Page<Session>>;
	end(tenantId: string, userId: string, sessionId: string): Promise<boolean>;
	/** @returns how many live sessions ended. */
	endAll(tenantId: string, userId: string, exceptSessionId?: string): Promise<number>;
	/** Deletes expired sessions and used tokens, at most `limit` each. */
	purgeExpired(nowMs: number, limit: number): Promise<number>;
}

/** Proves an access token; answers without a promise when it has seen the token before. */
export interface AccessTokenVerifier {
	/** @throws AppError `token.invalid`. */
	verify(token: string): { readonly sid: string } | Promise<{ readonly sid: string }>;
}
