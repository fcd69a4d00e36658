// An administrator takes away somebody's second factors: the phone is lost, and the recovery codes with it.

import type { Clock } from "../../kernel/clock.ts";
import type { Origin } from "../../kernel/origin.ts";
import type { Persistence } from "../../kernel/transaction.ts";
import type { LoginFailureStore, SessionStore } from "../auth/model.ts";
import { checkManages, type User, type UserStore, userNotFound } from "../users/model.ts";
import { clearTotpFailures } from "./answer-second-factor.ts";
import { type FactorContext, type FactorStores, recordChange } from "./factor-change.ts";

type ResetStores = FactorStores & {
	readonly users: UserStore;
	readonly sessions: SessionStore;
	readonly loginFailures: LoginFailureStore;
};

export interface ResetFactorsDeps {
	readonly db: Persistence<ResetStores>;
	readonly clock: Clock;
	readonly wakeMail: () => void;
}

/**
 * Every factor and recovery code goes, every session ends, the owner is told by mail. The password is the same as before.
 *
 * @throws AppError `user.not_found`, `role.required`.
 */
export async function resetFactors(
	deps: ResetFactorsDeps,
	userId: string,
	{ actor, origin }: { readonly actor: User; readonly origin: Origin },
): Promise<void> {
	const { tenantId } = actor;
	await deps.db.transaction(async (stores) => {
		const user = await stores.users.findById(tenantId, userId);
		if (user === undefined) throw userNotFound();
		checkManages(actor, user);
		await removeEverything(stores, { user, actor: `user:${actor.id}`, origin, nowMs: deps.clock() });
	});
	deps.wakeMail();
}

/** Inside a transaction. */
export async function removeEverything(stores: ResetStores, context: FactorContext): Promise<void> {
	const { tenantId, id } = context.user;
	await stores.secondFactors.lock(tenantId, id);
	await stores.secondFactors.removeAll(tenantId, id);
	await stores.sessions.endAll(tenantId, id, context.nowMs);
	await clearTotpFailures(stores.loginFailures, tenantId, id);
	await recordChange(stores, "reset", context);
}
