// What every change of second factors includes: the flag of the user, the audit event, and the mail. Also their reset.

import { issueRecoveryCode, recoveryCodeDigest } from "../../../crypto/recovery-code.ts";
import { type AuditCaller, userTarget } from "../../../domain/audit.ts";
import type { AuditAction } from "../../../domain/audit-action.ts";
import type { SecondFactorChange } from "../../../domain/mail-message.ts";
import { type EnrolledFactors, RECOVERY_CODES } from "../../../domain/second-factor.ts";
import type { InPerson, SignedIn } from "../../../domain/session.ts";
import { clearFailures, totpAttempt } from "../../../domain/sign-in-attempt.ts";
import type { StoreName, Stores } from "../../../domain/stores.ts";
import { getManaged, type User } from "../../../domain/user.ts";
import { type Clock, isoTime } from "../../../kernel/clock.ts";
import type { Needs } from "../../platform.ts";
import { confirmOwner, type OwnerStore } from "../steps/confirm-owner.ts";
import { mailOwner } from "../steps/mail-owner.ts";

type FactorStore = "secondFactors" | "recoveryCodes" | "audit" | "mail";
export type FactorStores = Stores<FactorStore>;
/** For users who change their own factors. */
export type OwnFactorNeeds<Name extends StoreName> = Needs<
	FactorStore | OwnerStore | Name,
	"clock" | "passwords" | "attempts" | "wakeMail"
>;

/** The user whose factors change, the caller who changes them, and the time. */
export interface FactorContext {
	readonly user: User;
	readonly caller: AuditCaller;
	readonly nowMs: number;
}

/** For users who change their own factors. */
export function ownFactors({ clock }: { readonly clock: Clock }, caller: SignedIn): FactorContext {
	return { user: caller.user, caller, nowMs: clock() };
}

/**
 * Confirms the owner, then makes the change in a transaction, under the lock of the user's factors.
 *
 * @throws AppError what `confirmOwner` and `change` throw.
 */
export async function changeOwnFactors<Name extends StoreName, T>(
	needs: OwnFactorNeeds<Name>,
	passwordPlain: string | undefined,
	caller: SignedIn,
	change: (stores: Stores<FactorStore | OwnerStore | Name>, context: FactorContext) => Promise<T>,
): Promise<T> {
	await confirmOwner(needs, passwordPlain, caller);
	const result = await needs.db.transaction(async (stores) => {
		await stores.secondFactors.lock(caller.tenantId, caller.userId);
		return change(stores, ownFactors(needs, caller));
	});
	needs.wakeMail();
	return result;
}

const ACTIONS: Readonly<Record<SecondFactorChange, AuditAction>> = {
	totp_added: "user.second_factor_added",
	passkey_added: "user.second_factor_added",
	totp_removed: "user.second_factor_removed",
	passkey_removed: "user.second_factor_removed",
	recovery_codes_renewed: "user.recovery_codes_renewed",
	reset: "user.second_factors_reset",
};

/**
 * Call it inside the transaction, after the change.
 *
 * @param name the name of a passkey.
 * @returns the factors that are enrolled now.
 */
export async function recordChange(
	stores: FactorStores,
	change: SecondFactorChange,
	{ user, caller, nowMs }: FactorContext,
	name = "",
): Promise<EnrolledFactors> {
	const enrolled = await stores.secondFactors.settle(user.tenantId, user.id);
	const { totp, passkeys } = enrolled;
	const details = { change, ...(name === "" ? {} : { name }), totp, passkeys };
	await stores.audit.append(caller, ACTIONS[change], userTarget(user), details);
	const message = { username: user.username, at: isoTime(nowMs), change, name };
	await mailOwner(stores, user, { kind: "second_factor_changed", ...message }, caller.origin);
	return enrolled;
}

/** Inside the transaction, under the lock: replaces all recovery codes. @returns the new ones, to be shown once. */
export async function replaceRecoveryCodes(
	{ recoveryCodes }: Stores<"recoveryCodes">,
	{ user, nowMs }: FactorContext,
): Promise<string[]> {
	const codes = Array.from({ length: RECOVERY_CODES }, issueRecoveryCode);
	const digests = codes.flatMap((code) => recoveryCodeDigest(code) ?? []);
	await recoveryCodes.replaceAll(user.tenantId, user.id, digests, nowMs);
	return codes;
}

type ResetStores = FactorStores & Stores<"sessions" | "loginFailures">;

/**
 * Removes every factor and recovery code, ends every session, and notifies the owner by mail. The password stays.
 *
 * @throws AppError `user.not_found`, `role.required`.
 */
export async function resetFactors(
	{ db, clock, wakeMail }: Needs<keyof ResetStores | "users", "clock" | "wakeMail">,
	userId: string,
	caller: InPerson,
): Promise<void> {
	await db.transaction(async (stores) => {
		const user = await getManaged(stores.users, userId, caller);
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
	await clearFailures(stores.loginFailures, totpAttempt(tenantId, id));
	await recordChange(stores, "reset", context);
}
