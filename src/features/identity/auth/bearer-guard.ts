// The guard of endpoints for signed-in users, and of endpoints that also accept admin keys.

import { type KeyCaller, keyNotAllowed } from "../../../domain/admin-key.ts";
import {
	checkInPerson,
	type SessionHolder,
	type SignedIn,
	type VerifiedTokenClaims,
} from "../../../domain/session.ts";
import type { SystemRole } from "../../../domain/system-role.ts";
import type { Guard } from "../../../http/guard.ts";
import type { Incoming } from "../../../http/incoming.ts";
import { AppError, type ErrorCode } from "../../../kernel/error.ts";
import type { Needs } from "../../platform.ts";
import { admitKey, authenticateKey, isAdminKey, type KeyNeeds } from "../admin-keys/key-guard.ts";

const SCHEME = /^Bearer +([A-Za-z0-9._~+/-]+=*)$/i;

type BearerNeeds = Needs<"sessions", "accessTokens" | "clock"> & KeyNeeds;

/** Refuses admin keys with 403 `admin_key.not_allowed`; `orKey` is the same guard for a route that accepts them. */
export interface BearerGuard extends Guard<SignedIn> {
	readonly orKey: Guard<SignedIn | KeyCaller>;
}

/**
 * Admits signed-in users; with `roles`, only users who hold one of them in the database, so that a demotion takes
 * effect immediately. Admits platform admins wherever it admits admins. With `roles`, refuses the session of an
 * application regardless of its user's roles: 403 `application.token`.
 */
export function bearerGuard(needs: BearerNeeds, roles: readonly SystemRole[] = []): BearerGuard {
	const accepted: readonly SystemRole[] = roles.includes("admin") ? [...roles, "platform_admin"] : roles;
	const allows = roles.length === 0 ? "signed-in users" : roles.join(", ");
	const roleErrors: readonly ErrorCode[] = roles.length === 0 ? [] : ["role.required", "application.token"];
	const checkRoles = (held: readonly SystemRole[]): void => {
		if (accepted.length > 0 && !held.some((role) => accepted.includes(role)))
			throw new AppError("role.required", `this needs one of the roles ${roles.join(", ")}`);
	};
	const admitUser = async (request: Incoming, token: string): Promise<SignedIn> => {
		const signedIn = await authenticateSession(needs, request, token);
		if (accepted.length === 0) return signedIn;
		checkInPerson(signedIn, "use the roles of its user");
		checkRoles(signedIn.roles);
		return signedIn;
	};
	const shared = { security: "bearer", transport: "confidential" } as const;
	return {
		...shared,
		allows,
		errors: ["token.missing", "token.invalid", "admin_key.not_allowed", ...roleErrors],
		admit(request) {
			const token = tokenOf(request);
			if (!isAdminKey(token)) return admitUser(request, token);
			return authenticateKey(needs, request, token).then(() => {
				throw keyNotAllowed("call this");
			});
		},
		orKey: {
			...shared,
			allows: `${allows}; admin keys`,
			admitsKeys: true,
			errors: ["token.missing", "token.invalid", "ip.not_allowed", ...roleErrors],
			admit(request) {
				const token = tokenOf(request);
				if (!isAdminKey(token)) return admitUser(request, token);
				return authenticateKey(needs, request, token).then((key) => {
					checkRoles(key.roles);
					return admitKey(needs, request, key);
				});
			},
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
	const claims = accessTokens.verify(token);
	const { sid, sub, tenant_id }: VerifiedTokenClaims = claims instanceof Promise ? await claims : claims;
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
