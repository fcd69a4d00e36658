// Users change their own second factors: authenticator app and recovery codes.

import { hasFactor } from "../../../domain/second-factor.ts";
import type { SignedIn } from "../../../domain/session.ts";
import type { Stores } from "../../../domain/stores.ts";
import { AppError } from "../../../kernel/error.ts";
import type { Platform } from "../../platform.ts";
import { checkStillSignedIn, confirmOwner } from "../steps/confirm-owner.ts";
import { activateTotp, checkFirstCode, type StartedTotp, startTotp } from "./enrol-totp.ts";
import {
	changeOwnFactors,
	type OwnFactorNeeds,
	ownFactors,
	recordChange,
	replaceRecoveryCodes,
} from "./factor-change.ts";

type Needed = OwnFactorNeeds<"totp"> & Pick<Platform, "secretBox" | "publicUrl">;

/** @throws what `confirmOwner` throws. */
export async function startOwnTotp(
	deps: Needed,
	passwordPlain: string | undefined,
	caller: SignedIn,
): Promise<StartedTotp> {
	await confirmOwner(deps, passwordPlain, caller);
	return startTotp(deps, caller.user);
}

/** @returns the recovery codes, to be shown once. @throws AppError `totp.not_found`, `mfa.code_wrong`. */
export async function confirmOwnTotp(deps: Needed, code: string, caller: SignedIn): Promise<string[]> {
	const confirmed = await checkFirstCode(deps, caller.user, code);
	const codes = await deps.db.transaction(async (stores) => {
		await checkStillSignedIn(stores, caller);
		return activateTotp(stores, confirmed, ownFactors(deps, caller));
	});
	deps.wakeMail();
	return codes;
}

/**
 * Recovery codes are removed with the last factor.
 *
 * @throws AppError `totp.not_found`, `mfa.last_factor`; what `confirmOwner` throws.
 */
export async function removeOwnTotp(
	deps: Needed,
	passwordPlain: string | undefined,
	caller: SignedIn,
): Promise<void> {
	await changeOwnFactors(deps, passwordPlain, caller, async (stores, context) => {
		const { tenantId, userId } = caller;
		if (!(await stores.totp.remove(tenantId, userId)))
			throw new AppError("totp.not_found", "no authenticator app is enrolled");
		const enrolled = await recordChange(stores, "totp_removed", context);
		await checkRequiredFactor(stores, tenantId, hasFactor(enrolled));
	});
}

/** Earlier codes become invalid. @throws AppError `mfa.not_enabled`; what `confirmOwner` throws. */
export function renewRecoveryCodes(
	deps: Needed,
	passwordPlain: string | undefined,
	caller: SignedIn,
): Promise<string[]> {
	return changeOwnFactors(deps, passwordPlain, caller, async (stores, context) => {
		if (!hasFactor(await stores.secondFactors.findEnrolled(caller.tenantId, caller.userId)))
			throw new AppError("mfa.not_enabled", "enroll a second factor first: recovery codes only replace one");
		const newCodes = await replaceRecoveryCodes(stores, context);
		await recordChange(stores, "recovery_codes_renewed", context);
		return newCodes;
	});
}

/**
 * Inside the transaction that removes a factor: refuses to remove the last one if the tenant requires a second factor.
 *
 * @throws AppError `mfa.last_factor`.
 */
export async function checkRequiredFactor(
	{ secondFactors }: Stores<"secondFactors">,
	tenantId: string,
	hasAnother: boolean,
): Promise<void> {
	if (!hasAnother && (await secondFactors.isRequired(tenantId, null)))
		throw new AppError(
			"mfa.last_factor",
			"a second factor is required here: enroll another before you remove this one",
		);
}
