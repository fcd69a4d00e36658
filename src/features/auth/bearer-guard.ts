// The guard of end-user endpoints: a valid access token, and the session behind it still alive.

import type { Guard } from "../../http/guard.ts";
import type { Clock } from "../../kernel/clock.ts";
import { AppError } from "../../kernel/error.ts";
import type { Persistence } from "../../kernel/transaction.ts";
import type { SystemRole } from "../users/model.ts";
import type { AccessTokenVerifier, ProvedToken, SessionStore, SignedIn } from "./model.ts";

export interface BearerGuardDeps {
	readonly db: Persistence<{ sessions: SessionStore }>;
	readonly accessTokens: AccessTokenVerifier;
	readonly clock: Clock;
}

const SCHEME = /^Bearer +([A-Za-z0-9._~+/-]+=*)$/i;

/**
 * Admits whoever is signed in; with `roles`, only users who hold one of them now (the roles of the row, not those
 * of the token: a demotion counts at once). A platform admin passes wherever an admin does.
 */
export function bearerGuard(
	{ db, accessTokens, clock }: BearerGuardDeps,
	roles: readonly SystemRole[] = [],
): Guard<SignedIn> {
	const accepted: readonly SystemRole[] = roles.includes("admin") ? [...roles, "platform_admin"] : roles;
	const check = (signedIn: SignedIn | undefined): SignedIn => {
		if (signedIn === undefined) throw new AppError("token.invalid", "access token is invalid or expired");
		if (accepted.length > 0 && !signedIn.user.roles.some((role) => accepted.includes(role))) {
			throw new AppError("role.required", `this needs one of the roles ${roles.join(", ")}`);
		}
		return signedIn;
	};
	return {
		security: "bearer",
		allows: roles.length === 0 ? "whoever is signed in" : roles.join(", "),
		errors:
			roles.length === 0
				? ["token.missing", "token.invalid"]
				: ["token.missing", "token.invalid", "role.required"],
		needsBody: false,
		admit(request) {
			const sent = request.headerValues("authorization");
			const token = sent.length === 1 ? SCHEME.exec(sent[0] as string)?.[1] : undefined;
			if (token === undefined)
				throw new AppError("token.missing", "send one header Authorization: Bearer <access token>");
			const claims = accessTokens.verify(token);
			const load = ({ sid, sub, tenant_id }: ProvedToken): Promise<SignedIn> =>
				db.stores.sessions.findSignedIn(sid, clock()).then((signedIn) => {
					const isWhoItSays = signedIn?.user.id === sub && signedIn.user.tenantId === tenant_id;
					return check(isWhoItSays ? signedIn : undefined);
				});
			return claims instanceof Promise ? claims.then(load) : load(claims);
		},
	};
}
