// A support session: a supporter reads what a person sees, for a limited time. It is a session of the person with an actor.

import { DAY_MS, SECOND_MS } from "../kernel/clock.ts";
import { AppError } from "../kernel/error.ts";
import type { Origin } from "../kernel/origin.ts";
import type { Page, PageQuery } from "../kernel/page.ts";
import type { Caller } from "./caller.ts";
import type { SystemRole } from "./system-role.ts";
import type { UserStatus } from "./user.ts";

export const SUPPORT_MINUTES_MIN = 5;
export const SUPPORT_MINUTES_MAX = 60;
export const SUPPORT_REASON_MIN = 10;
export const SUPPORT_REASON_MAX = 500;
export const SUPPORT_TICKET_MAX = 100;
/** Open support sessions of a supporter. */
export const SUPPORT_OPEN_MAX = 3;
/** The second factor of the supporter is at most this old. */
export const SUPPORT_FACTOR_SECONDS = 900;
export const SUPPORT_KEPT_MS = 365 * DAY_MS;
/** In `amr` of the session and of its tokens. */
export const SUPPORT_METHOD = "support";

export interface SupportSession {
	/** Also the id of the session of the person. */
	readonly id: string;
	readonly tenantId: string;
	/** The person. */
	readonly userId: string;
	/** Null if the supporter was deleted. */
	readonly supporterId: string | null;
	/** The session of the supporter that may open it, and that it ends with. */
	readonly madeIn: string;
	/** The application for whose API it has a token. */
	readonly appId: string | null;
	readonly reason: string;
	/** `""` without one. */
	readonly ticket: string;
	readonly openedAtMs: number | null;
	readonly endedAtMs: number | null;
	readonly expiresAtMs: number;
	readonly createdAtMs: number;
}

export interface ListedSupportSession extends SupportSession {
	readonly username: string;
	readonly supporterName: string | null;
	readonly appName: string | null;
}

/** What decides whether an open support session may still be used. */
export interface StoredSupport {
	readonly supporterId: string;
	readonly supporterName: string;
	readonly supporterStatus: UserStatus;
	readonly supporterRoles: readonly SystemRole[];
}

export interface SupportSessionStore {
	/** Inside a transaction: counts those of the supporter that are neither over nor ended, under a lock until its end. */
	countOpen(tenantId: string, supporterId: string, nowMs: number): Promise<number>;
	insert(session: SupportSession & { readonly tokenDigest: string }): Promise<void>;
	/**
	 * Uses the token up: of concurrent calls, one succeeds.
	 *
	 * @returns undefined for a used, unknown, or expired token, and in another session than the one that created it.
	 */
	open(tokenDigest: string, madeIn: string, nowMs: number): Promise<SupportSession | undefined>;
	/** Undefined when it is over or was ended, or the session of the supporter ended. Never cached. */
	findOpen(id: string, nowMs: number): Promise<StoredSupport | undefined>;
	find(tenantId: string, id: string): Promise<SupportSession | undefined>;
	/** @returns false if it had ended. */
	end(tenantId: string, id: string, nowMs: number): Promise<boolean>;
	/** Newest first. @param userId only those with this person */
	list(tenantId: string, userId: string | undefined, page: PageQuery): Promise<Page<ListedSupportSession>>;
	/** Deletes those created more than `SUPPORT_KEPT_MS` before `nowMs`, at most `limit`. */
	purge(nowMs: number, limit: number): Promise<number>;
}

/** Who acts for the person. */
export interface Supporter {
	readonly id: string;
	readonly name: string;
}

/** `act.sub` of tokens and statements, and the actor of audit events. */
export function supporterRef({ id }: Pick<Supporter, "id">): `user:${string}` {
	return `user:${id}`;
}

/** The supporter in a session of the person. */
export function supportCaller(
	supporter: Supporter,
	person: { readonly id: string; readonly tenantId: string },
	origin: Origin,
): Caller {
	return {
		tenantId: person.tenantId,
		userId: supporter.id,
		actor: supporterRef(supporter),
		actorName: supporter.name,
		onBehalfOf: `user:${person.id}`,
		origin,
	};
}

/** Whether a supporter holds a token for an API: it belongs to the session `sid`. */
export function isSupportToken<T extends { readonly act?: { readonly sub: string }; readonly sid?: string }>(
	claims: T,
): claims is T & { readonly act: { readonly sub: string }; readonly sid: string } {
	return claims.sid !== undefined && claims.act?.sub.startsWith("user:") === true;
}

export function isSupport({ amr }: { readonly amr: readonly string[] }): boolean {
	return amr.includes(SUPPORT_METHOD);
}

/**
 * Ends with the role and the account of the supporter, and with the session in which it was created. The caller checks the
 * session of the person.
 */
export async function findSupporter(
	supportSessions: Pick<SupportSessionStore, "findOpen">,
	id: string,
	nowMs: number,
): Promise<Supporter | undefined> {
	const stored = await supportSessions.findOpen(id, nowMs);
	if (stored?.supporterStatus !== "active" || !stored.supporterRoles.includes("supporter")) return undefined;
	return { id: stored.supporterId, name: stored.supporterName };
}

/** Whether a request only reads. An upgrade opens a connection that writes. */
export function isRead(method: string, isUpgrade: boolean): boolean {
	return !isUpgrade && ["GET", "HEAD", "OPTIONS"].includes(method);
}

export function supportReadOnly(message = "a support session only reads"): AppError {
	return new AppError("support.read_only", message);
}

export function supportSessionNotFound(): AppError {
	return new AppError("support_session.not_found", "no such support session");
}

/** Whole seconds until its end, for tokens. */
export function supportSeconds({ expiresAtMs }: Pick<SupportSession, "expiresAtMs">, nowMs: number): number {
	return Math.max(0, Math.floor((expiresAtMs - nowMs) / SECOND_MS));
}
