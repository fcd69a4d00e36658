// Confirms a change of how a signed-in user signs in: before it by the password, and in its transaction by the session.

import type { AuditAction } from "../../../domain/audit-action.ts";
import type { SignedIn } from "../../../domain/session.ts";
import type { Stores } from "../../../domain/stores.ts";
import { AppError } from "../../../kernel/error.ts";
import type { Needs } from "../../platform.ts";
import { proveOwner } from "./prove-password.ts";

/** @throws what `proveOwner` throws, about the field `password`. */
export function confirmOwner(
	needs: Needs<"users" | "sessions" | "loginFailures" | "audit", "passwords" | "attempts" | "clock">,
	passwordPlain: string | undefined,
	caller: SignedIn,
	refusedAs: AuditAction = "user.second_factor_change_refused",
): Promise<void> {
	return proveOwner(needs, passwordPlain, { field: "password", refusedAs }, caller);
}

/**
 * First in the transaction that adds a factor: refuses a session that ended meanwhile, and serializes with other changes
 * of the user's factors.
 *
 * @throws AppError `token.invalid`.
 */
export async function checkStillSignedIn(
	{ secondFactors, sessions }: Stores<"secondFactors" | "sessions">,
	{ tenantId, userId, sessionId }: SignedIn,
): Promise<void> {
	await secondFactors.lock(tenantId, userId);
	if (!(await sessions.hold(tenantId, userId, sessionId)))
		throw new AppError("token.invalid", "access token is invalid or expired");
}
