// Authenticates the person behind the cookie of a browser.

import type { AskedGate } from "../../../domain/gate.ts";
import type { ProvedCaller } from "../../../domain/gate-decision.ts";
import { findSupporter, isSupport, type Supporter, supporterRef } from "../../../domain/support-session.ts";
import type { User } from "../../../domain/user.ts";
import { AppError } from "../../../kernel/error.ts";
import type { Needs } from "../../platform.ts";
import type { AskedCall } from "./asked-call.ts";
import { extendGateSession, findGateSession } from "./gate-session.ts";

export type PersonNeeds = Needs<"accessFacts" | "secondFactors">;
export type SupportNeeds = Needs<"applications" | "supportSessions", "clock">;
export type SessionNeeds = PersonNeeds &
	SupportNeeds &
	Needs<"sessions", "clock" | "keys" | "publicUrl" | "findBrowserSession">;

/** Methods with which a page of another site can only read, without access to the response. */
const SAFE_METHODS = ["GET", "HEAD", "OPTIONS"];

/**
 * The session must be the person's own, in the tenant of the gate.
 *
 * @throws AppError `session.ended`, `gate.origin`.
 */
export async function proveSession(
	needs: SessionNeeds,
	applicationId: string,
	gate: AskedGate,
	call: AskedCall,
	cookie: string,
): Promise<ProvedCaller> {
	const { accessFacts, sessions } = needs.db.stores;
	const { tenantId, browserOrigin } = gate;
	const ofGate = browserOrigin === null ? undefined : await findGateSession(needs, applicationId, cookie);
	// Without a host of its own, the application shares the session of the browser at this service.
	const session = browserOrigin === null ? await needs.findBrowserSession(cookie) : ofGate?.session;
	if (session === undefined) throw sessionEnded();
	const { userId: id } = session;
	const hasSecondFactor = session.amr.includes("mfa");
	// At once: one turn of the event loop batches the reads.
	const [holder, facts, isFactorRequired] = await Promise.all([
		sessions.findSignedIn(ofGate?.signInId ?? session.id, needs.clock()),
		accessFacts.load(tenantId, id, applicationId),
		needsFactor(needs, tenantId, applicationId, hasSecondFactor),
	]);
	if (holder?.tenantId !== tenantId || holder.user.id !== id) throw sessionEnded();
	const supporter = isSupport(session)
		? await findSupporterAt(needs, applicationId, ofGate?.signInId ?? session.id, holder.user)
		: undefined;
	if (isSupport(session) && supporter === undefined) throw sessionEnded();
	requireOwnOrigin(call, browserOrigin ?? needs.publicUrl);
	if (ofGate !== undefined) await extendGateSession(needs, ofGate);
	const { displayName, username } = holder.user;
	const name = displayName || username;
	const actor = supporter && { supporter: supporterRef(supporter) };
	return { kind: "person", id, name, ...actor, facts, hasSecondFactor, isFactorRequired };
}

/** Undefined when the support session is over, or the application allows none now. */
export async function findSupporterAt(
	{ db, clock }: SupportNeeds,
	applicationId: string,
	sessionId: string,
	{ tenantId, roles }: Pick<User, "tenantId" | "roles">,
): Promise<Supporter | undefined> {
	const { applications, supportSessions } = db.stores;
	const application = await applications.findById(tenantId, applicationId);
	if (application?.supportSessions !== true || roles.length > 0) return undefined;
	return await findSupporter(supportSessions, sessionId, clock());
}

/** Whether the tenant or the application requires a factor that the person does not have. */
export async function needsFactor(
	{ db }: PersonNeeds,
	tenantId: string,
	applicationId: string,
	hasSecondFactor: boolean,
): Promise<boolean> {
	return !hasSecondFactor && (await db.stores.secondFactors.isRequired(tenantId, applicationId));
}

/**
 * A browser sends the cookie with requests of other sites, too.
 *
 * @param url of the host that the application uses
 * @throws AppError `gate.origin`
 */
function requireOwnOrigin({ method, headerValues }: AskedCall, url: string): void {
	const isUpgrade = headerValues("upgrade").length > 0;
	if (SAFE_METHODS.includes(method) && !isUpgrade) return;
	requireOrigin({ headerValues }, new URL(url).origin);
}

/** @throws AppError `gate.origin` unless `Origin` was sent once and is `own`. */
export function requireOrigin(request: Pick<AskedCall, "headerValues">, own: string): void {
	const [origin, ...others] = request.headerValues("origin");
	if (origin === own && others.length === 0) return;
	throw new AppError(
		"gate.origin",
		`a request that changes data, or an upgrade, needs the Origin ${own} to use the session of a browser`,
	);
}

function sessionEnded(): AppError {
	return new AppError("session.ended", "the session of this browser has ended: sign in again");
}
