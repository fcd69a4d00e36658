// Opens a session for an authenticated user, issues its tokens, and mails the owner about a new device.

import type { AccessTokens } from "../../../crypto/access-token.ts";
import { tokenDigest } from "../../../crypto/digest.ts";
import { randomToken } from "../../../crypto/random.ts";
import type { KeyedDigests } from "../../../domain/keyed-digests.ts";
import {
	ACCESS_TOKEN_SECONDS,
	type IssuedTokens,
	REFRESH_ABSOLUTE_SECONDS,
	REFRESH_SLIDING_SECONDS,
	type Session,
	type SessionStore,
} from "../../../domain/session.ts";
import type { Stores } from "../../../domain/stores.ts";
import type { User } from "../../../domain/user.ts";
import { isoTime, SECOND_MS } from "../../../kernel/clock.ts";
import { describeDevice, networkOf } from "../../../kernel/device.ts";
import { newId } from "../../../kernel/id.ts";
import type { Origin } from "../../../kernel/origin.ts";
import { mailOwner } from "./mail-owner.ts";

export interface Authentication {
	readonly user: User;
	/** The application to which the user signs in. Access to it was checked. */
	readonly appId: string | null;
	/** Authentication methods, RFC 8176. */
	readonly amr: readonly string[];
	/** The slug of the identity provider that authenticated the user; null for every other way. */
	readonly provider: string | null;
	readonly authenticatedAtMs: number;
}

export interface OpenedSession {
	readonly session: Session;
	readonly refreshToken: string;
}

export function newSession(
	{ user, appId, amr, provider, authenticatedAtMs }: Authentication,
	ends: Pick<Session, "secretDigest" | "refreshExpiresAtMs" | "absoluteExpiresAtMs">,
	origin: Origin,
	nowMs: number,
): Session {
	return {
		id: newId(nowMs),
		tenantId: user.tenantId,
		userId: user.id,
		appId,
		generation: 0,
		rotatedAtMs: nowMs,
		...ends,
		authenticatedAtMs,
		amr,
		provider,
		ip: origin.ip,
		userAgent: origin.userAgent,
		createdAtMs: nowMs,
		lastUsedAtMs: nowMs,
	};
}

/** Inside the transaction of the sign-in. */
export async function openSession(
	{ sessions, keys }: { readonly sessions: SessionStore; readonly keys: Pick<KeyedDigests, "refreshTokens"> },
	authentication: Authentication,
	origin: Origin,
	nowMs: number,
): Promise<OpenedSession> {
	const secret = randomToken();
	const session = newSession(
		authentication,
		{
			secretDigest: tokenDigest(secret),
			refreshExpiresAtMs: nowMs + REFRESH_SLIDING_SECONDS * SECOND_MS,
			absoluteExpiresAtMs: nowMs + REFRESH_ABSOLUTE_SECONDS * SECOND_MS,
		},
		origin,
		nowMs,
	);
	await sessions.insert(session);
	return { session, refreshToken: keys.refreshTokens.write({ ...session, secret }) };
}

/** After the commit: an access token of the session, and its current refresh token. */
export async function issueTokens(
	accessTokens: AccessTokens,
	{ session, refreshToken }: OpenedSession,
	user: User,
	nowMs: number,
): Promise<IssuedTokens> {
	const { token } = await accessTokens.issue({
		userId: user.id,
		sessionId: session.id,
		tenantId: session.tenantId,
		appId: session.appId,
		roles: user.roles,
		authenticatedAtMs: session.authenticatedAtMs,
		amr: session.amr,
		endsAtMs: session.refreshExpiresAtMs,
	});
	const sessionSeconds = Math.max(0, Math.floor((session.refreshExpiresAtMs - nowMs) / SECOND_MS));
	return {
		accessToken: token,
		expiresInSeconds: Math.min(ACCESS_TOKEN_SECONDS, sessionSeconds),
		refreshToken,
		refreshExpiresInSeconds: sessionSeconds,
		user,
	};
}

/**
 * Inside the transaction of the sign-in. A device is a type of user agent in a network. The first sign-in of an account
 * sends no mail.
 *
 * @param user as before this sign-in.
 * @returns whether a mail was written.
 */
export async function notifyNewDevice(
	stores: Stores<"knownDevices" | "mail">,
	keys: Pick<KeyedDigests, "deviceDigest">,
	user: User,
	origin: Origin,
	nowMs: number,
): Promise<boolean> {
	const device = describeDevice(origin.userAgent);
	const digest = keys.deviceDigest(user.id, device, networkOf(origin.ip));
	const isKnown = await stores.knownDevices.note(user.tenantId, user.id, digest, nowMs);
	if (isKnown || user.lastLoginAtMs === null) return false;
	const message = { username: user.username, device, ip: origin.ip, at: isoTime(nowMs) };
	await mailOwner(stores, user, { kind: "new_device", ...message }, origin);
	return true;
}
