// What every change of a user's second factors includes: the flag on the user, the audit event, the mail.

import { issueRecoveryCode, recoveryCodeDigest } from "../../../crypto/recovery-code.ts";
import type { AuditCaller } from "../../../domain/audit.ts";
import type { AuditAction } from "../../../domain/audit-action.ts";
import type { SecondFactorChange } from "../../../domain/mail-message.ts";
import { RECOVERY_CODES } from "../../../domain/recovery-code.ts";
import type { EnrolledFactors } from "../../../domain/second-factor.ts";
import type { SignedIn } from "../../../domain/session.ts";
import type { Stores } from "../../../domain/stores.ts";
import type { User } from "../../../domain/user.ts";
import { type Clock, isoTime } from "../../../kernel/clock.ts";
import { mailOwner } from "../steps/mail-owner.ts";

export type FactorStores = Stores<"secondFactors" | "recoveryCodes" | "audit" | "mail">;

/** Whose factors change, by whom and when. */
export interface FactorContext {
	readonly user: User;
	readonly caller: AuditCaller;
	readonly nowMs: number;
}

/** For a user who changes own factors. */
export function ownFactors({ clock }: { readonly clock: Clock }, caller: SignedIn): FactorContext {
	return { user: caller.user, caller, nowMs: clock() };
}

const ACTIONS: Readonly<Record<SecondFactorChange, AuditAction>> = {
	totp_added: "user.second_factor_added",
	passkey_added: "user.second_factor_added",
	totp_removed: "user.second_factor_removed",
	passkey_removed: "user.second_factor_removed",
	recovery_codes_renewed: "user.recovery_codes_renewed",
	reset: "user.second_factors_reset",
};

/** Inside the transaction, after the change. `name` is that of a passkey. @returns the factors that are enrolled now. */
export async function recordChange(
	stores: FactorStores,
	change: SecondFactorChange,
	{ user, caller, nowMs }: FactorContext,
	name = "",
): Promise<EnrolledFactors> {
	const enrolled = await stores.secondFactors.settle(user.tenantId, user.id);
	const { totp, passkeys } = enrolled;
	const details = { change, ...(name === "" ? {} : { name }), totp, passkeys };
	await stores.audit.append(caller, ACTIONS[change], `user:${user.id}`, details);
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
	const digests = codes.map((code) => recoveryCodeDigest(code) as string);
	await recoveryCodes.replaceAll(user.tenantId, user.id, digests, nowMs);
	return codes;
}
