// The guard of end-user endpoints: a valid access token whose session has not ended.

import {
	checkInPerson,
	type ProvedToken,
	type SessionHolder,
	type SignedIn,
} from "../../../domain/session.ts";
import type { SystemRole } from "../../../domain/system-role.ts";
import type { Guard } from "../../../http/guard.ts";
import { AppError } from "../../../kernel/error.ts";
import type { Origin } from "../../../kernel/origin.ts";
import type { Needs } from "../../platform.ts";

const SCHEME = /^Bearer +([A-Za-z0-9._~+/-]+=*)$/i;

/**
 * Admits signed-in users; with `roles`, only users who hold one of them in the database, so that a demotion takes effect at
 * once. A platform admin passes where an admin does. With `roles`, a session of an application is refused regardless of
 * the roles of its user: 403 `application.token` (contract section 11).
 */
export function bearerGuard(
	{ db, accessTokens, clock }: Needs<"sessions", "accessTokens" | "clock">,
	roles: readonly SystemRole[] = [],
): Guard<SignedIn> {
	const accepted: readonly SystemRole[] = roles.includes("admin") ? [...roles, "platform_admin"] : roles;
	const check = (holder: SessionHolder | undefined, origin: Origin): SignedIn => {
		if (holder === undefined)
			throw new AppError("token.invalid", "access token is invalid or expired", {
				reason: "token.session_ended",
			});
		const { user } = holder;
		const signedIn = {
			...holder,
			userId: user.id,
			actor: `user:${user.id}`,
			actorName: user.username,
			origin,
			roles: user.roles,
			isKey: false,
		} as const;
		if (accepted.length === 0) return signedIn;
		checkInPerson(signedIn, "use the roles of its user");
		if (!signedIn.roles.some((role) => accepted.includes(role)))
			throw new AppError("role.required", `this needs one of the roles ${roles.join(", ")}`);
		return signedIn;
	};
	return {
		security: "bearer",
		transport: "confidential",
		allows: roles.length === 0 ? "signed-in users" : roles.join(", "),
		errors:
			roles.length === 0
				? ["token.missing", "token.invalid"]
				: ["token.missing", "token.invalid", "role.required", "application.token"],
		needsBody: false,
		admit(request) {
			const sent = request.headerValues("authorization");
			const token = sent.length === 1 ? SCHEME.exec(sent[0] as string)?.[1] : undefined;
			if (token === undefined)
				throw new AppError("token.missing", "send one header Authorization: Bearer <access token>");
			const claims = accessTokens.verify(token);
			const load = ({ sid, sub, tenant_id }: ProvedToken): Promise<SignedIn> =>
				db.stores.sessions.findSignedIn(sid, clock()).then((holder) => {
					// The signature is valid, so the log names this user even when the request is refused.
					request.userId = sub;
					request.tenantId = tenant_id;
					const isConsistent = holder?.user.id === sub && holder.user.tenantId === tenant_id;
					return check(isConsistent ? holder : undefined, request);
				});
			return claims instanceof Promise ? claims.then(load) : load(claims);
		},
	};
}
