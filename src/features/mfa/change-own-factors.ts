// A signed-in person changes their own second factors: TOTP and recovery codes.

import { AppError } from "../../kernel/error.ts";
import type { Persistence } from "../../kernel/transaction.ts";
import type { SessionStore } from "../auth/model.ts";
import {
	type ConfirmOwnerDeps,
	checkStillSignedIn,
	confirmOwner,
	type OwnerContext,
} from "./confirm-owner.ts";
import {
	activateTotp,
	checkFirstCode,
	type EnrolTotpDeps,
	type StartedTotp,
	startTotp,
	type TotpStores,
} from "./enrol-totp.ts";
import { type FactorContext, putRecoveryCodes, recordChange } from "./factor-change.ts";
import { hasFactor, type SecondFactorStore } from "./model.ts";

export type OwnFactorDeps = {
	readonly db: Persistence<TotpStores & { readonly sessions: SessionStore }>;
	readonly wakeMail: () => void;
} & EnrolTotpDeps &
	ConfirmOwnerDeps;

/** @throws what `confirmOwner` throws. */
export async function startOwnTotp(
	deps: OwnFactorDeps,
	passwordPlain: string | undefined,
	context: OwnerContext,
): Promise<StartedTotp> {
	await confirmOwner(deps, passwordPlain, context, { passwordWanted: true });
	return await startTotp(deps, context.signedIn.user);
}

/** @returns the recovery codes, shown this once. @throws AppError `totp.not_found`, `mfa.code_wrong`. */
export async function confirmOwnTotp(
	deps: OwnFactorDeps,
	code: string,
	context: OwnerContext,
): Promise<string[]> {
	const confirmed = await checkFirstCode(deps, context.signedIn.user, code);
	const codes = await deps.db.transaction(async (stores) => {
		await checkStillSignedIn(stores, context);
		return await activateTotp(stores, confirmed, factorContext(deps, context));
	});
	deps.wakeMail();
	return codes;
}

/** The recovery codes go with the last factor. @throws AppError `totp.not_found`, `mfa.last_factor`; what `confirmOwner` throws. */
export async function removeOwnTotp(
	deps: OwnFactorDeps,
	passwordPlain: string | undefined,
	context: OwnerContext,
): Promise<void> {
	await confirmOwner(deps, passwordPlain, context, { passwordWanted: true });
	const { tenantId, user } = context.signedIn;
	await deps.db.transaction(async (stores) => {
		await stores.secondFactors.lock(tenantId, user.id);
		if (!(await stores.totp.remove(tenantId, user.id)))
			throw new AppError("totp.not_found", "no authenticator app is enrolled");
		const enrolled = await recordChange(stores, "totp_removed", factorContext(deps, context));
		await checkKeepsOne(stores, tenantId, hasFactor(enrolled));
	});
	deps.wakeMail();
}

/** All codes before are worthless. @throws AppError `mfa.not_enabled`; what `confirmOwner` throws. */
export async function renewRecoveryCodes(
	deps: OwnFactorDeps,
	passwordPlain: string | undefined,
	context: OwnerContext,
): Promise<string[]> {
	await confirmOwner(deps, passwordPlain, context);
	const { tenantId, user } = context.signedIn;
	const codes = await deps.db.transaction(async (stores) => {
		await stores.secondFactors.lock(tenantId, user.id);
		if (!hasFactor(await stores.secondFactors.findEnrolled(tenantId, user.id)))
			throw new AppError("mfa.not_enabled", "enrol a second factor first: recovery codes stand in for one");
		const made = await putRecoveryCodes(stores, factorContext(deps, context));
		await recordChange(stores, "recovery_codes_renewed", factorContext(deps, context));
		return made;
	});
	deps.wakeMail();
	return codes;
}

/**
 * Inside the transaction of a removal: where the tenant wants a second factor, the last one stays.
 *
 * @throws AppError `mfa.last_factor`.
 */
export async function checkKeepsOne(
	{ secondFactors }: { readonly secondFactors: SecondFactorStore },
	tenantId: string,
	keepsOne: boolean,
): Promise<void> {
	if (!keepsOne && (await secondFactors.isRequired(tenantId, null)))
		throw new AppError(
			"mfa.last_factor",
			"a second factor is required here: enrol another before this one goes",
		);
}

export function factorContext(
	{ clock }: { readonly clock: () => number },
	{ signedIn: { user }, origin }: OwnerContext,
): FactorContext {
	return { user, actor: `user:${user.id}`, origin, nowMs: clock() };
}
