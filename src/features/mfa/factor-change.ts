// What every change of a person's second factors brings along: the mark on the account, the trail, the mail.

import { issueRecoveryCode, recoveryCodeDigest } from "../../crypto/recovery-code.ts";
import { isoTime } from "../../kernel/clock.ts";
import type { Origin } from "../../kernel/origin.ts";
import type { AuditLog } from "../audit/model.ts";
import type { MailOutbox, SecondFactorChange } from "../mail/model.ts";
import type { User } from "../users/model.ts";
import { mfaMail } from "./mfa-mail.ts";
import {
	type EnrolledFactors,
	RECOVERY_CODES,
	type RecoveryCodeStore,
	type SecondFactorStore,
} from "./model.ts";

export interface FactorStores {
	readonly secondFactors: SecondFactorStore;
	readonly recoveryCodes: RecoveryCodeStore;
	readonly audit: AuditLog;
	readonly mail: MailOutbox;
}

/** Whose factors change, by whom and when. */
export interface FactorContext {
	readonly user: User;
	readonly actor: `user:${string}` | "system";
	readonly origin: Origin;
	readonly nowMs: number;
}

const ACTIONS: Readonly<Record<SecondFactorChange, string>> = {
	totp_added: "user.second_factor_added",
	passkey_added: "user.second_factor_added",
	totp_removed: "user.second_factor_removed",
	passkey_removed: "user.second_factor_removed",
	recovery_codes_renewed: "user.recovery_codes_renewed",
	reset: "user.second_factors_reset",
};

/** Inside the transaction of the change, after it. `name` is that of a passkey. @returns what is enrolled now. */
export async function recordChange(
	{ secondFactors, audit, mail }: FactorStores,
	change: SecondFactorChange,
	{ user, actor, origin, nowMs }: FactorContext,
	name = "",
): Promise<EnrolledFactors> {
	const enrolled = await secondFactors.settle(user.tenantId, user.id);
	await audit.append({
		tenantId: user.tenantId,
		actor,
		action: ACTIONS[change],
		target: `user:${user.id}`,
		origin,
		details: { change, ...(name === "" ? {} : { name }), totp: enrolled.totp, passkeys: enrolled.passkeys },
	});
	const message = { username: user.username, at: isoTime(nowMs), change, name };
	await mail.put(mfaMail(user, { kind: "second_factor_changed", ...message }, origin));
	return enrolled;
}

/** Inside the transaction, under the lock: `RECOVERY_CODES` new ones in the place of all before. @returns them as they are shown, once. */
export async function putRecoveryCodes(
	{ recoveryCodes }: FactorStores,
	{ user, nowMs }: FactorContext,
): Promise<string[]> {
	const codes = Array.from({ length: RECOVERY_CODES }, issueRecoveryCode);
	const digests = codes.map((code) => recoveryCodeDigest(code) as string);
	await recoveryCodes.replaceAll(user.tenantId, user.id, digests, nowMs);
	return codes;
}
