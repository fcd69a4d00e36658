// A supporter creates, opens, and ends support sessions; the person and administrators end them, too.

import type { SupportTokenSubject } from "../../../crypto/api-token.ts";
import { tokenDigest } from "../../../crypto/digest.ts";
import { randomToken } from "../../../crypto/random.ts";
import type { KeyCaller } from "../../../domain/admin-key.ts";
import { type Application, applicationNotFound } from "../../../domain/application.ts";
import { userTarget } from "../../../domain/audit.ts";
import { checkInPerson, type InPerson, type Session, type SignedIn } from "../../../domain/session.ts";
import type { Stores } from "../../../domain/stores.ts";
import {
	SUPPORT_FACTOR_SECONDS,
	SUPPORT_METHOD,
	SUPPORT_OPEN_MAX,
	type SupportSession,
	supporterRef,
	supportSeconds,
	supportSessionNotFound,
} from "../../../domain/support-session.ts";
import { coversRole } from "../../../domain/system-role.ts";
import { getUser, type User } from "../../../domain/user.ts";
import { isoTime, MINUTE_MS, SECOND_MS } from "../../../kernel/clock.ts";
import { CREDENTIAL_PREFIX } from "../../../kernel/credential-prefix.ts";
import { AppError, found } from "../../../kernel/error.ts";
import { newId } from "../../../kernel/id.ts";
import type { Needs } from "../../platform.ts";
import { sessionEnded } from "../steps/confirm-owner.ts";
import { mailOwner } from "../steps/mail-owner.ts";
import { newSession } from "../steps/open-session.ts";

type SupportRequest = Pick<SupportSession, "reason" | "ticket" | "appId"> & { readonly minutes: number };

/**
 * @returns the URL, to show once.
 * @throws AppError `mfa.required`, `session.too_old`, `user.not_found`, `support.subject`, `application.not_found`,
 * `application.access_denied`, `support_session.too_many`.
 */
export async function createSupportSession(
	{ db, clock, publicUrl }: Needs<CreateStore, "clock" | "publicUrl">,
	userId: string,
	{ reason, minutes, ticket, appId }: SupportRequest,
	caller: SignedIn,
): Promise<{ readonly id: string; readonly url: string; readonly expiresAtMs: number }> {
	const now = clock();
	const { tenantId, userId: supporterId, sessionId: madeIn } = caller;
	const token = `${CREDENTIAL_PREFIX.support}${randomToken()}`;
	const expiresAtMs = now + minutes * MINUTE_MS;
	const id = newId(now);
	await db.transaction(async (stores) => {
		const { audit, supportSessions } = stores;
		checkFactor(await getOwn(stores, caller), now);
		const user = await getSubject(stores, tenantId, userId);
		if (appId !== null) await getApplication(stores, tenantId, appId);
		if ((await supportSessions.countOpen(tenantId, supporterId, now)) >= SUPPORT_OPEN_MAX)
			throw new AppError(
				"support_session.too_many",
				`you have ${SUPPORT_OPEN_MAX} open support sessions: end one first`,
			);
		const tokenDigestOfUrl = tokenDigest(token);
		const states = { openedAtMs: null, endedAtMs: null, expiresAtMs, createdAtMs: now };
		const stored = { id, tenantId, userId, supporterId, madeIn, appId, reason, ticket, ...states };
		await supportSessions.insert({ ...stored, tokenDigest: tokenDigestOfUrl });
		const details = { support_session_id: id, reason, ticket, app_id: appId, until: isoTime(expiresAtMs) };
		await audit.append(behalfOf(caller, userId), "support_session.created", userTarget(user), details);
	});
	return { id, url: `${publicUrl}/support#${token}`, expiresAtMs };
}

type CreateStore = "applications" | "audit" | "sessions" | "supportSessions" | "users";

/** What the supporter reads with. The tokens are not stored. */
interface OpenedSupport {
	readonly support: SupportSession;
	readonly user: User;
	readonly accessToken: string;
	readonly expiresInSeconds: number;
	readonly application: SupportedApplication | null;
}

interface SupportedApplication {
	readonly id: string;
	readonly name: string;
	/** Null if it has no API. */
	readonly resource: string | null;
	readonly accessToken: string | null;
	/** Where a browser begins to read it; null if its gate has no sign-in. */
	readonly url: string | null;
}

type OpenStore = CreateStore | "gates" | "mail" | "oauthClients";

/**
 * Uses the URL up. The session of the person has the methods of the supporter's own, and no refresh token.
 *
 * @throws AppError `support_session.not_found`, `support.subject`, `application.access_denied`.
 */
export async function openSupportSession(
	needs: Needs<OpenStore, "accessTokens" | "clock" | "issueSupportToken" | "openIdRules" | "wakeMail">,
	token: string,
	caller: SignedIn,
): Promise<OpenedSupport> {
	const { db, clock, wakeMail } = needs;
	const now = clock();
	const { tenantId, sessionId, userId: supporterId, actorName: supporterName, origin } = caller;
	const opened = await db.transaction(async (stores) => {
		const { audit, sessions, supportSessions } = stores;
		const support = found(
			await supportSessions.open(tokenDigest(token), sessionId, now),
			supportSessionNotFound,
		);
		const user = await getSubject(stores, tenantId, support.userId);
		const application = support.appId === null ? null : await getApplication(stores, tenantId, support.appId);
		const { amr, authenticatedAtMs } = await getOwn(stores, caller);
		const session = newSession(
			{ user, appId: null, provider: null, amr: [...amr, SUPPORT_METHOD], authenticatedAtMs },
			{
				// Of a discarded secret: it is not refreshed.
				secretDigest: tokenDigest(randomToken()),
				refreshExpiresAtMs: support.expiresAtMs,
				absoluteExpiresAtMs: support.expiresAtMs,
			},
			origin,
			now,
		);
		await sessions.insert({ ...session, id: support.id });
		const details = { support_session_id: support.id, reason: support.reason, ticket: support.ticket };
		await audit.append(behalfOf(caller, user.id), "support_session.opened", userTarget(user), details);
		const message = { username: user.username, supporterName, reason: support.reason };
		const endsAt = isoTime(support.expiresAtMs);
		await mailOwner(stores, user, { kind: "support_session_opened", ...message, endsAt }, origin);
		return { support, user, application, session };
	});
	wakeMail();
	const { support, user, application, session } = opened;
	const ttlSeconds = supportSeconds(support, now);
	const actor = supporterRef({ id: supporterId });
	const { token: accessToken } = await needs.accessTokens.issue({
		userId: user.id,
		sessionId: support.id,
		tenantId,
		appId: null,
		roles: [],
		authenticatedAtMs: session.authenticatedAtMs,
		amr: session.amr,
		endsAtMs: support.expiresAtMs,
		actor,
		ttlSeconds,
	});
	const subject = {
		sub: user.id,
		tenant_id: tenantId,
		sid: support.id,
		auth_time: Math.floor(session.authenticatedAtMs / SECOND_MS),
		amr: session.amr,
		actor,
		ttlSeconds,
	};
	const read = application && (await readAt(needs, application, subject));
	return { support, user, accessToken, expiresInSeconds: ttlSeconds, application: read };
}

/** How the supporter reads at an application: a token for its API, and the URL of its own host. */
async function readAt(
	needs: Needs<"gates" | "oauthClients", "issueSupportToken" | "openIdRules">,
	{ id, name, tenantId }: Application,
	subject: Omit<SupportTokenSubject, "aud" | "client_id" | "scope">,
): Promise<SupportedApplication> {
	const { gates, oauthClients } = needs.db.stores;
	const client = await oauthClients.findPresented(id);
	const origin = (await gates.find(tenantId, id))?.browserOrigin ?? null;
	const query = new URLSearchParams({ to: "/", support: subject.sid });
	const url = origin === null ? null : `${origin}/.latchkey/sign-in?${query}`;
	const resource = client?.resource ?? null;
	if (client === undefined || resource === null) return { id, name, resource: null, accessToken: null, url };
	const scopes = await needs.openIdRules.scopesOf(client, { kind: "user", id: subject.sub });
	const scope = scopes.length > 0 && { scope: scopes.join(" ") };
	const accessToken = await needs.issueSupportToken({ ...subject, aud: resource, client_id: id, ...scope });
	return { id, name, resource, accessToken, url };
}

/**
 * For its supporter, the person, and administrators. Of concurrent calls, one succeeds.
 *
 * @throws AppError `application.token`, `support_session.not_found`.
 */
export async function endSupportSession(
	{ db, clock }: Needs<"audit" | "sessions" | "supportSessions" | "users", "clock">,
	id: string,
	caller: InPerson | KeyCaller,
): Promise<void> {
	if ("sessionId" in caller) checkInPerson(caller, "end support sessions");
	const { tenantId, userId, roles } = caller;
	await db.transaction(async ({ audit, sessions, supportSessions, users }) => {
		const support = found(await supportSessions.find(tenantId, id), supportSessionNotFound);
		const isOwn = userId !== null && [support.userId, support.supporterId].includes(userId);
		if (!isOwn && !coversRole(roles, "admin")) throw supportSessionNotFound();
		if (!(await supportSessions.end(tenantId, id, clock()))) throw supportSessionNotFound();
		await sessions.end(tenantId, support.userId, id, clock());
		const user = await getUser(users, tenantId, support.userId);
		const actor = userId === support.supporterId ? behalfOf(caller, support.userId) : caller;
		await audit.append(actor, "support_session.ended", userTarget(user), { support_session_id: id });
	});
}

function behalfOf<C extends InPerson | KeyCaller>(caller: C, userId: string): C {
	return { ...caller, onBehalfOf: `user:${userId}` };
}

async function getOwn({ sessions }: Stores<"sessions">, { sessionId }: SignedIn): Promise<Session> {
	return found(await sessions.findById(sessionId), sessionEnded);
}

function checkFactor({ amr, authenticatedAtMs }: Session, nowMs: number): void {
	if (!amr.includes("mfa"))
		throw new AppError("mfa.required", "a support session needs a sign-in with a second factor");
	if (nowMs - authenticatedAtMs > SUPPORT_FACTOR_SECONDS * SECOND_MS)
		throw new AppError(
			"session.too_old",
			`a support session needs a sign-in of the last ${SUPPORT_FACTOR_SECONDS / 60} minutes`,
		);
}

/** @throws AppError `user.not_found`, `support.subject`. */
async function getSubject({ users }: Stores<"users">, tenantId: string, userId: string): Promise<User> {
	const user = await getUser(users, tenantId, userId);
	if (user.status === "active" && user.roles.length === 0) return user;
	throw new AppError("support.subject", "support sessions are for active users without a system role");
}

/** @throws AppError `application.not_found`, `application.access_denied`. */
async function getApplication(
	{ applications }: Stores<"applications">,
	tenantId: string,
	id: string,
): Promise<Application> {
	const application = found(await applications.findById(tenantId, id), applicationNotFound);
	if (application.status === "active" && application.supportSessions) return application;
	throw new AppError("application.access_denied", "the application allows no support sessions");
}
