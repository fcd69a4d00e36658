// The guard of endpoints for signed-in users, and of endpoints that also accept admin keys.

import { type KeyCaller, keyNotAllowed } from "../../../domain/admin-key.ts";
import type { Operator } from "../../../domain/caller.ts";
import type { Reviewer } from "../../../domain/request-queue.ts";
import { checkInPerson, type InPerson, type SessionHolder, type SignedIn } from "../../../domain/session.ts";
import type { SystemRole } from "../../../domain/system-role.ts";
import type { Guard } from "../../../http/describe/guard.ts";
import type { Incoming } from "../../../http/run/incoming.ts";
import { AppError, type ErrorCode } from "../../../kernel/error.ts";
import type { Needs } from "../../platform.ts";
import { admitKey, authenticateKey, isAdminKey, type KeyNeeds } from "../admin-keys/key-guard.ts";

const SCHEME = /^Bearer +([A-Za-z0-9._~+/-]+=*)$/i;

type BearerNeeds = Needs<"sessions", "accessTokens" | "clock"> &
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

/** Admits signed-in users. */
export function bearerGuard(needs: BearerNeeds): BearerGuard<SignedIn> {
	const admitUser = (request: Incoming, token: string): Promise<SignedIn> =>
		authenticateSession(needs, request, token);
	return {
		...SHARED,
		allows: "signed-in users",
		errors: PERSON_ERRORS,
		admit: (request) => admitPerson(needs, request, admitUser),
		orKey: keyGuard(needs, { allows: "signed-in users", errors: [], admitUser, checkRoles: () => undefined }),
	};
}

/**
 * Admits signed-in users who hold one of `roles` in the database, so that a demotion takes effect immediately. Admits
 * platform admins wherever it admits admins. Refuses the session of an application regardless of its user's roles: 403
 * `application.token`.
 */
export function roleGuard(
	needs: BearerNeeds,
	roles: readonly [SystemRole, ...SystemRole[]],
): BearerGuard<InPerson> {
	const { operator } = needs;
	const { allows, errors, checkRoles } = roleRule(roles);
	const admitUser = async (request: Incoming, token: string): Promise<SignedIn> => {
		const signedIn = await authenticateSession(needs, request, token);
		checkInPerson(signedIn, "use the roles of its user");
		checkRoles(signedIn.roles);
		return signedIn;
	};
	return {
		...SHARED,
		allows,
		admitsOperator: true,
		errors: [...PERSON_ERRORS, ...errors],
		admit: (request) => operator ?? admitPerson(needs, request, admitUser),
		orKey: keyGuard(needs, { allows, errors, admitUser, checkRoles }),
	};
}

/**
 * Like `roleGuard` with admin keys, and also admits users without such a role who are members of the reviewers of an
 * application: their `memberId` limits what they see.
 */
export function reviewGuard(
	needs: BearerNeeds & Needs<"requests">,
	roles: readonly [SystemRole, ...SystemRole[]],
): Guard<Reviewer> {
	const { allows, errors, holds, checkRoles } = roleRule(roles);
	const admitUser = async (request: Incoming, token: string): Promise<SignedIn & Reviewer> => {
		const signedIn = await authenticateSession(needs, request, token);
		checkInPerson(signedIn, "use the roles of its user");
		const { tenantId, userId } = signedIn;
		if (holds(signedIn.roles)) return { ...signedIn, memberId: null };
		if (!(await needs.db.stores.requests.isReviewer(tenantId, userId))) checkRoles(signedIn.roles);
		return { ...signedIn, memberId: userId };
	};
	const guard = keyGuard(needs, {
		allows: `${allows}; members of the reviewers of an application`,
		errors,
		admitUser,
		checkRoles,
	});
	return {
		...guard,
		async admit(request) {
			const caller = await guard.admit(request);
			return "memberId" in caller ? caller : { ...caller, memberId: null };
		},
	};
}

function roleRule(roles: readonly [SystemRole, ...SystemRole[]]) {
	const accepted: readonly SystemRole[] = roles.includes("admin") ? [...roles, "platform_admin"] : roles;
	const allows = roles.join(", ");
	const errors: readonly ErrorCode[] = ["role.required", "application.token"];
	const holds = (held: readonly SystemRole[]): boolean => held.some((role) => accepted.includes(role));
	const checkRoles = (held: readonly SystemRole[]): void => {
		if (!holds(held)) throw new AppError("role.required", `this needs one of the roles ${allows}`);
	};
	return { allows, errors, holds, checkRoles };
}

const SHARED = { security: "bearer", transport: "confidential" } as const;
const PERSON_ERRORS: readonly ErrorCode[] = ["token.missing", "token.invalid", "admin_key.not_allowed"];

type AdmitUser<Person extends SignedIn = SignedIn> = (request: Incoming, token: string) => Promise<Person>;

async function admitPerson(needs: BearerNeeds, request: Incoming, admitUser: AdmitUser): Promise<SignedIn> {
	const token = tokenOf(request);
	if (!isAdminKey(token)) return admitUser(request, token);
	await authenticateKey(needs, request, token);
	throw keyNotAllowed("call this");
}

function keyGuard<Person extends SignedIn>(
	needs: BearerNeeds,
	guard: {
		readonly allows: string;
		readonly errors: readonly ErrorCode[];
		readonly admitUser: AdmitUser<Person>;
		readonly checkRoles: (held: readonly SystemRole[]) => void;
	},
): Guard<Person | Operator | KeyCaller> {
	const { allows, errors, admitUser, checkRoles } = guard;
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

/** @throws AppError `token.invalid`. */
async function authenticateSession(
	{ db, accessTokens, clock }: BearerNeeds,
	request: Incoming,
	token: string,
): Promise<SignedIn> {
	const { sid, sub, tenant_id } = await accessTokens.verify(token);
	const holder = await db.stores.sessions.findSignedIn(sid, clock());
	// The signature is valid, so the log names this user even when the request is refused.
	request.userId = sub;
	request.tenantId = tenant_id;
	const isConsistent = holder?.user.id === sub && holder.user.tenantId === tenant_id;
	if (!isConsistent)
		throw new AppError("token.invalid", "access token is invalid or expired", {
			reason: "token.session_ended",
		});
	return signedInAs(holder, request);
}

/** The caller whose session was found. */
export function signedInAs(holder: SessionHolder, origin: Incoming): SignedIn {
	const { id: userId, username: actorName, roles } = holder.user;
	return { ...holder, userId, actor: `user:${userId}`, actorName, origin, roles, isKey: false };
}
