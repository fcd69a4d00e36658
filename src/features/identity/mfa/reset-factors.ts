// An admin removes all second factors of a user who has lost them.

import type { SignedIn } from "../../../domain/session.ts";
import type { Stores } from "../../../domain/stores.ts";
import { checkManages, userNotFound } from "../../../domain/user.ts";
import type { Needs } from "../../platform.ts";
import { type FactorContext, type FactorStores, recordChange } from "./factor-change.ts";
import { clearTotpFailures } from "./totp-failures.ts";

type ResetStores = FactorStores & Stores<"sessions" | "loginFailures">;

/**
 * Removes every factor and recovery code, ends every session, and notifies the owner by mail. The password stays.
 *
 * @throws AppError `user.not_found`, `role.required`.
 */
export async function resetFactors(
	{ db, clock, wakeMail }: Needs<keyof ResetStores | "users", "clock" | "wakeMail">,
	userId: string,
	caller: SignedIn,
): Promise<void> {
	await db.transaction(async (stores) => {
		const user = await stores.users.findById(caller.tenantId, userId);
		if (user === undefined) throw userNotFound();
		checkManages(caller.user, user);
		await removeAllFactors(stores, { user, caller, nowMs: clock() });
	});
	wakeMail();
}

/** Inside a transaction. */
export async function removeAllFactors(stores: ResetStores, context: FactorContext): Promise<void> {
	const { tenantId, id } = context.user;
	await stores.secondFactors.lock(tenantId, id);
	await stores.secondFactors.removeAll(tenantId, id);
	await stores.sessions.endAll(tenantId, id, context.nowMs);
	await clearTotpFailures(stores.loginFailures, tenantId, id);
	await recordChange(stores, "reset", context);
}
