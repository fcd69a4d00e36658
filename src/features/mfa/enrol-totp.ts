// An authenticator app: begun with a secret, there with the first right code.

import type { SecretBox } from "../../crypto/secret-box.ts";
import { issueTotpSecret, totpUri, verifyTotp } from "../../crypto/totp.ts";
import { type Clock, SECOND_MS } from "../../kernel/clock.ts";
import { AppError, invalidField } from "../../kernel/error.ts";
import { newId } from "../../kernel/id.ts";
import type { Persistence } from "../../kernel/transaction.ts";
import type { User } from "../users/model.ts";
import { type FactorContext, type FactorStores, putRecoveryCodes, recordChange } from "./factor-change.ts";
import { TOTP_PENDING_SECONDS, type TotpFactor, type TotpStore, totpContext } from "./model.ts";

export type TotpStores = FactorStores & { readonly totp: TotpStore };

export interface EnrolTotpDeps {
	readonly db: Persistence<TotpStores>;
	readonly clock: Clock;
	readonly secretBox: SecretBox;
	/** Shown by authenticator apps as the account's place: its host. */
	readonly publicUrl: string;
}

/** Shown once: the secret is what codes are made from. */
export interface StartedTotp {
	readonly secretBase32: string;
	readonly otpauthUri: string;
}

/** Waits `TOTP_PENDING_SECONDS` for its first code; one that waited before is worthless, one in use goes on being used. */
export async function startTotp(
	{ db, clock, secretBox, publicUrl }: EnrolTotpDeps,
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

/** A pending factor with the step of the code that confirms it. */
export interface ConfirmedTotp {
	readonly factor: TotpFactor;
	readonly step: number;
}

/** @throws AppError `totp.not_found` when nothing waits (any more), `mfa.code_wrong`. */
export async function checkFirstCode(
	{ db, clock, secretBox }: EnrolTotpDeps,
	user: User,
	code: string,
): Promise<ConfirmedTotp> {
	const now = clock();
	const factor = await db.stores.totp.findPending(user.tenantId, user.id, now);
	if (factor === undefined) throw nothingWaits();
	const step = verifyTotp(secretBox.open(factor.secretSealed, totpContext(factor.id)), code, now);
	if (step === undefined)
		throw invalidField("code", "is wrong: is the clock of the device right?", "mfa.code_wrong");
	return { factor, step };
}

/**
 * Inside a transaction: makes it the user's TOTP factor, in the place of the one before, and new recovery codes with it. Of
 * two confirmations at once one wins.
 *
 * @returns the recovery codes.
 * @throws AppError `totp.not_found` when another was faster.
 */
export async function activateTotp(
	stores: TotpStores,
	{ factor, step }: ConfirmedTotp,
	context: FactorContext,
): Promise<string[]> {
	await stores.secondFactors.lock(factor.tenantId, factor.userId);
	if (!(await stores.totp.activate(factor, step, context.nowMs))) throw nothingWaits();
	const codes = await putRecoveryCodes(stores, context);
	await recordChange(stores, "totp_added", context);
	return codes;
}

function nothingWaits(): AppError {
	return new AppError("totp.not_found", "no enrolment waits for a code: begin one");
}
