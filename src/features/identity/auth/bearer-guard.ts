// The guard of endpoints for signed-in users, and of endpoints that also accept admin keys.

import { type KeyCaller, keyNotAllowed } from "../../../domain/admin-key.ts";
import type { Operator } from "../../../domain/caller.ts";
import type { ManagedKind } from "../../../domain/manager.ts";
import type { Reviewer } from "../../../domain/request-queue.ts";
import { checkInPerson, type InPerson, type SessionHolder, type SignedIn } from "../../../domain/session.ts";
import {
	findSupporter,
	isRead,
	supportCaller,
	supporterRef,
	supportReadOnly,
} from "../../../domain/support-session.ts";
import type { SystemRole } from "../../../domain/system-role.ts";
import type { Guard } from "../../../http/describe/guard.ts";
import type { Incoming } from "../../../http/run/incoming.ts";
import { AppError, type ErrorCode } from "../../../kernel/error.ts";
import { parseId } from "../../../kernel/id.ts";
import type { Needs } from "../../platform.ts";
import { admitKey, authenticateKey, isAdminKey, type KeyNeeds } from "../admin-keys/key-guard.ts";

const SCHEME = /^Bearer +([A-Za-z0-9._~+/-]+=*)$/i;

type BearerNeeds = Needs<"sessions" | "supportSessions", "accessTokens" | "clock"> &
	KeyNeeds & {
		/**
		 * The caller of every request, where the operator of the machine dispatches them without a listener. Undefined in a
		 * service.
		 */
		readonly operator?: Operator | undefined;
	};

/** Refuses admin keys with 403 `admin_key.not_allowed`; `orKey` is the same guard for a route that accepts them. */
export interface BearerGuard<Caller> extends Guard<Caller> {
	readonly orKey: Guard<InPerson | KeyCaller>;
}

/** Admits signed-in users, and refuses support sessions: 403 `support.read_only`. */
export function bearerGuard(needs: BearerNeeds): BearerGuard<SignedIn> {
	return guardOf(needs, "signed-in users", SUPPORT_ERRORS, (request, token) =>
		authenticateSession(needs, request, token),
	);
}

/** Also admits support sessions, if the request only reads: for routes that a supporter may read. */
export function readGuard(needs: BearerNeeds): BearerGuard<SignedIn> {
	return guardOf(needs, "signed-in users; support sessions", [], (request, token) =>
		authenticateReader(needs, request, token),
	);
}

function guardOf(
	needs: BearerNeeds,
	allows: string,
	errors: readonly ErrorCode[],
	admitUser: AdmitUser,
): BearerGuard<SignedIn> {
	const rule = { allows, errors, admitUser, checkRoles: () => undefined };
	return { ...personGuard(needs, rule), orKey: keyGuard(needs, rule) };
}

/** Admits supporters, in person; no other role includes theirs. */
export function supporterGuard(needs: BearerNeeds): Guard<SignedIn> {
	return personGuard(needs, roleRule(needs, ["supporter"]));
}

/**
 * Admits signed-in users who hold one of `roles` in the database, so that a demotion takes effect immediately. Admits
 * platform admins wherever it admits admins. Refuses the session of an application regardless of its user's roles: 403
 * `application.token`.
 */
export function roleGuard(needs: BearerNeeds, roles: Roles, others?: Others): BearerGuard<InPerson> {
	const rule = roleRule(needs, roles, others);
	const guard = personGuard(needs, rule);
	return {
		...guard,
		admitsOperator: true,
		admit: (request) => needs.operator ?? guard.admit(request),
		orKey: keyGuard(needs, rule),
	};
}

/** Users without a role who review something. */
export interface Members {
	/** For the API reference. */
	readonly allows: string;
	isReviewer(tenantId: string, userId: string): Promise<boolean>;
}

type MemberGuard = Guard<Reviewer> & { readonly orKey: Guard<Reviewer> };

/** Like `roleGuard`, and also admits users without such a role who review something: their `memberId` limits what they see. */
export function reviewGuard(needs: BearerNeeds, roles: Roles, { allows, isReviewer }: Members): MemberGuard {
	const { holds } = roleRule(needs, roles);
	const { orKey, ...guard } = roleGuard(needs, roles, {
		allows,
		admits: ({ tenantId, userId }) => isReviewer(tenantId, userId),
	});
	const withMember = (of: Guard<SignedIn | Operator | KeyCaller>): Guard<Reviewer> => ({
		...of,
		async admit(request) {
			const caller = await of.admit(request);
			return { ...caller, memberId: holds(caller.roles) ? null : caller.userId };
		},
	});
	return { ...withMember(guard), orKey: withMember(orKey) };
}

/**
 * Like `roleGuard` with admin keys, and also admits the managers of the application or group whose `id` is in the path:
 * everyone else learns nothing about whether it exists. Managers do nothing for themselves: 403 `request.own`.
 */
export function managerGuard(
	needs: BearerNeeds & Needs<"managers">,
	roles: Roles,
	kind: ManagedKind,
): Guard<SignedIn | Operator | KeyCaller> {
	return roleGuard(needs, roles, {
		allows: `managers of the ${kind}`,
		async admits({ tenantId, userId }, { pathParameters }) {
			const id = parseId(pathParameters.id ?? "");
			if (id === undefined || !(await needs.db.stores.managers.manages(tenantId, userId, { kind, id })))
				return false;
			if (parseId(pathParameters.user_id ?? "") === userId)
				throw new AppError("request.own", "a manager does not give access to themselves");
			return true;
		},
	}).orKey;
}

/** Whom a guard admits without one of its roles. */
interface Others {
	/** For the API reference. */
	readonly allows: string;
	admits(signedIn: SignedIn, request: Incoming): Promise<boolean>;
}

/** Whom a guard admits, before the question of admin keys. */
interface PersonRule {
	readonly allows: string;
	readonly errors: readonly ErrorCode[];
	readonly admitUser: AdmitUser;
	/** Also decides about the roles of an admin key. */
	readonly checkRoles: (held: readonly SystemRole[]) => void;
}

type Roles = readonly [SystemRole, ...SystemRole[]];

function roleRule(needs: BearerNeeds, roles: Roles, others?: Others) {
	const accepted: readonly SystemRole[] = roles.includes("admin") ? [...roles, "platform_admin"] : roles;
	const names = roles.join(", ");
	const holds = (held: readonly SystemRole[]): boolean => held.some((role) => accepted.includes(role));
	const checkRoles = (held: readonly SystemRole[]): void => {
		if (!holds(held)) throw new AppError("role.required", `this needs one of the roles ${names}`);
	};
	const rule: PersonRule = {
		allows: others === undefined ? names : `${names}; ${others.allows}`,
		errors: [...SUPPORT_ERRORS, "role.required", "application.token"],
		async admitUser(request, token) {
			const signedIn = await authenticateSession(needs, request, token);
			checkInPerson(signedIn, "use the roles of its user");
			if (!holds(signedIn.roles) && !(await others?.admits(signedIn, request))) checkRoles(signedIn.roles);
			return signedIn;
		},
		checkRoles,
	};
	return { ...rule, holds };
}

const SHARED = { security: "bearer", transport: "confidential" } as const;
const SUPPORT_ERRORS: readonly ErrorCode[] = ["support.read_only"];
const PERSON_ERRORS: readonly ErrorCode[] = ["token.missing", "token.invalid", "admin_key.not_allowed"];

type AdmitUser = (request: Incoming, token: string) => Promise<SignedIn>;

/** Refuses admin keys. */
function personGuard(needs: BearerNeeds, { allows, errors, admitUser }: PersonRule): Guard<SignedIn> {
	return {
		...SHARED,
		allows,
		errors: [...PERSON_ERRORS, ...errors],
		async admit(request) {
			const token = tokenOf(request);
			if (!isAdminKey(token)) return admitUser(request, token);
			await authenticateKey(needs, request, token);
			throw keyNotAllowed("call this");
		},
	};
}

function keyGuard(
	needs: BearerNeeds,
	{ allows, errors, admitUser, checkRoles }: PersonRule,
): Guard<SignedIn | Operator | KeyCaller> {
	return {
		...SHARED,
		allows: `${allows}; admin keys`,
		admitsKeys: true,
		admitsOperator: true,
		errors: ["token.missing", "token.invalid", "ip.not_allowed", ...errors],
		admit(request) {
			if (needs.operator !== undefined) return needs.operator;
			const token = tokenOf(request);
			if (!isAdminKey(token)) return admitUser(request, token);
			return authenticateKey(needs, request, token).then((key) => {
				checkRoles(key.roles);
				return admitKey(needs, request, key);
			});
		},
	};
}

function tokenOf(request: Incoming): string {
	const [header = "", ...others] = request.headerValues("authorization");
	const token = others.length === 0 ? SCHEME.exec(header)?.[1] : undefined;
	if (token === undefined)
		throw new AppError("token.missing", "send one header Authorization: Bearer <access token>");
	return token;
}

/** @throws AppError `token.invalid`; `support.read_only` for a support session. */
async function authenticateSession(needs: BearerNeeds, request: Incoming, token: string): Promise<SignedIn> {
	const { holder, act } = await findHolder(needs, request, token);
	if (act !== undefined) throw supportReadOnly("a support session may not call this");
	return signedInAs(holder, request);
}

/** @throws AppError `token.invalid`; `support.read_only` for a support session whose request may write. */
async function authenticateReader(needs: BearerNeeds, request: Incoming, token: string): Promise<SignedIn> {
	const { holder, act } = await findHolder(needs, request, token);
	const signedIn = signedInAs(holder, request);
	if (act === undefined) return signedIn;
	const { db, clock } = needs;
	const supporter = await findSupporter(db.stores.supportSessions, holder.sessionId, clock());
	// A role that the person got since would open what only its holders may read.
	if (supporter === undefined || act.sub !== supporterRef(supporter) || holder.user.roles.length > 0)
		throw sessionOver();
	if (!isRead(request.method, false)) throw supportReadOnly();
	return { ...signedIn, ...supportCaller(supporter, holder.user, request), userId: holder.user.id };
}

/** @throws AppError `token.invalid`. */
async function findHolder(
	{ db, accessTokens, clock }: BearerNeeds,
	request: Incoming,
	token: string,
): Promise<{ readonly holder: SessionHolder; readonly act: { readonly sub: string } | undefined }> {
	const { sid, sub, tenant_id, act } = await accessTokens.verify(token);
	const holder = await db.stores.sessions.findSignedIn(sid, clock());
	// The signature is valid, so the log names this user even when the request is refused.
	request.userId = sub;
	request.tenantId = tenant_id;
	const isConsistent = holder?.user.id === sub && holder.user.tenantId === tenant_id;
	if (!isConsistent) throw sessionOver();
	return { holder, act };
}

function sessionOver(): AppError {
	return new AppError("token.invalid", "access token is invalid or expired", {
		reason: "token.session_ended",
	});
}

/** The caller whose session was found. */
export function signedInAs(holder: SessionHolder, origin: Incoming): SignedIn {
	const { id: userId, username: actorName, roles } = holder.user;
	return { ...holder, userId, actor: `user:${userId}`, actorName, origin, roles, isKey: false };
}
