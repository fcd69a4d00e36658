// Enrolls an authenticator app: issues a secret, which the first correct code confirms.

import { issueTotpSecret, totpUri, verifyTotp } from "../../../crypto/totp.ts";
import { TOTP_PENDING_SECONDS, type TotpFactor, totpContext } from "../../../domain/second-factor.ts";
import type { Stores } from "../../../domain/stores.ts";
import type { User } from "../../../domain/user.ts";
import { SECOND_MS } from "../../../kernel/clock.ts";
import { AppError, found, refusedField } from "../../../kernel/error.ts";
import { problem } from "../../../kernel/field-reason.ts";
import { newId } from "../../../kernel/id.ts";
import type { Needs } from "../../platform.ts";
import {
	type FactorContext,
	type FactorStores,
	recordChange,
	replaceRecoveryCodes,
} from "./factor-change.ts";

/** To be shown once. */
export interface StartedTotp {
	readonly secretBase32: string;
	readonly otpauthUri: string;
}

/** Valid for `TOTP_PENDING_SECONDS`. Replaces a pending factor; an active one stays until the confirmation. */
export async function startTotp(
	{ db, clock, secretBox, publicUrl }: Needs<"totp", "clock" | "secretBox" | "publicUrl">,
	user: User,
): Promise<StartedTotp> {
	const now = clock();
	const id = newId(now);
	const secretBase32 = issueTotpSecret();
	const secretSealed = secretBox.seal(secretBase32, totpContext(id));
	const factor = { id, tenantId: user.tenantId, userId: user.id, secretSealed, createdAtMs: now };
	await db.transaction(({ totp }) => totp.putPending(factor, now + TOTP_PENDING_SECONDS * SECOND_MS));
	const issuer = new URL(publicUrl).hostname;
	return { secretBase32, otpauthUri: totpUri(secretBase32, { issuer, account: user.username }) };
}

/** A pending factor, and the time step of the code that confirms it. */
interface ConfirmedTotp {
	readonly factor: TotpFactor;
	readonly step: number;
}

/** @throws AppError `totp.not_found` if no factor is pending, `mfa.code_wrong`. */
export async function checkFirstCode(
	{ db, clock, secretBox }: Needs<"totp", "clock" | "secretBox">,
	user: User,
	code: string,
): Promise<ConfirmedTotp> {
	const now = clock();
	const factor = found(await db.stores.totp.findPending(user.tenantId, user.id, now), nonePending);
	const step = verifyTotp(secretBox.open(factor.secretSealed, totpContext(factor.id)), code, now);
	if (step === undefined) throw refusedField("mfa.code_wrong", "code", problem("incorrect_code"));
	return { factor, step };
}

/**
 * Inside a transaction: activates the factor in place of an active one, and replaces the recovery codes. Of two
 * concurrent confirmations, one succeeds.
 *
 * @returns the recovery codes.
 * @throws AppError `totp.not_found` if a concurrent confirmation succeeded.
 */
export async function activateTotp(
	stores: FactorStores & Stores<"totp">,
	{ factor, step }: ConfirmedTotp,
	context: FactorContext,
): Promise<string[]> {
	await stores.secondFactors.lock(factor.tenantId, factor.userId);
	if (!(await stores.totp.activate(factor, step, context.nowMs))) throw nonePending();
	const codes = await replaceRecoveryCodes(stores, context);
	await recordChange(stores, "totp_added", context);
	return codes;
}

function nonePending(): AppError {
	return new AppError("totp.not_found", "no enrollment is waiting for a code: start one");
}
