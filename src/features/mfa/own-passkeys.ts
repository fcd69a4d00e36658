// A signed-in person adds and removes their own passkeys.

import { AppError } from "../../kernel/error.ts";
import type { Persistence } from "../../kernel/transaction.ts";
import type { SessionStore } from "../auth/model.ts";
import type { UserStore } from "../users/model.ts";
import { checkKeepsOne, factorContext } from "./change-own-factors.ts";
import {
	type ConfirmOwnerDeps,
	checkStillSignedIn,
	confirmOwner,
	type OwnerContext,
} from "./confirm-owner.ts";
import {
	addPasskey,
	askEnrolment,
	checkCredential,
	type EnrolledPasskey,
	type EnrolPasskeyDeps,
	type EnrolPasskeyStores,
} from "./enrol-passkey.ts";
import { recordChange } from "./factor-change.ts";
import { hasFactor, type Passkey } from "./model.ts";
import type { AskedPasskey, ChallengePlace } from "./passkey-challenge.ts";

export type OwnPasskeyDeps = {
	readonly db: Persistence<
		EnrolPasskeyStores & { readonly users: UserStore; readonly sessions: SessionStore }
	>;
	readonly wakeMail: () => void;
} & EnrolPasskeyDeps &
	ConfirmOwnerDeps;

/** @throws what `confirmOwner` throws. */
export async function startOwnPasskey(
	deps: OwnPasskeyDeps,
	passwordPlain: string | undefined,
	context: OwnerContext,
): Promise<AskedPasskey> {
	await confirmOwner(deps, passwordPlain, context);
	return await askEnrolment(deps, context.signedIn.user, placeOf(context));
}

/** @throws AppError `passkey.refused`, `passkey.enrolled`, `passkey.too_many`. */
export async function confirmOwnPasskey(
	deps: OwnPasskeyDeps,
	given: { readonly name: string; readonly credential: unknown },
	context: OwnerContext,
): Promise<EnrolledPasskey> {
	const made = await checkCredential(deps, placeOf(context), given.credential);
	const change = factorContext(deps, context);
	const enrolled = await deps.db.transaction(async (stores) => {
		await checkStillSignedIn(stores, context);
		return await addPasskey(stores, made, given.name, change);
	});
	deps.wakeMail();
	return enrolled;
}

/** @throws AppError `passkey.not_found`. A name is no change of what opens the account: nobody is told. */
export async function renameOwnPasskey(
	{ db }: OwnPasskeyDeps,
	id: string,
	name: string,
	{ signedIn: { tenantId, user }, origin }: OwnerContext,
): Promise<Passkey> {
	return await db.transaction(async ({ passkeys, audit }) => {
		const renamed = await passkeys.rename(tenantId, user.id, id, name);
		if (renamed === undefined) throw passkeyNotFound();
		await audit.append({
			tenantId,
			actor: `user:${user.id}`,
			action: "user.passkey_renamed",
			target: `user:${user.id}`,
			origin,
			details: { passkey_id: id, name },
		});
		return renamed;
	});
}

const LAST_WAY = "this passkey is the last way to sign in: set a password or link an account elsewhere first";

/** @throws AppError `passkey.not_found`, `passkey.last_way`, `mfa.last_factor`; what `confirmOwner` throws. */
export async function removeOwnPasskey(
	deps: OwnPasskeyDeps,
	id: string,
	passwordPlain: string | undefined,
	context: OwnerContext,
): Promise<void> {
	await confirmOwner(deps, passwordPlain, context);
	const { tenantId, user } = context.signedIn;
	await deps.db.transaction(async (stores) => {
		await stores.secondFactors.lock(tenantId, user.id);
		const removed = await stores.passkeys.remove(tenantId, user.id, id);
		if (removed === undefined) throw passkeyNotFound();
		// Seen from within: the passkey is gone here, and whoever takes another way away waits for the lock.
		if (!(await stores.users.hasWayIn(tenantId, user.id))) throw new AppError("passkey.last_way", LAST_WAY);
		const change = factorContext(deps, context);
		const enrolled = await recordChange(stores, "passkey_removed", change, removed.name);
		await checkKeepsOne(stores, tenantId, hasFactor(enrolled));
	});
	deps.wakeMail();
}

function placeOf({ signedIn: { tenantId, user } }: OwnerContext): ChallengePlace {
	return { tenantId, purpose: "enrolment", subject: user.id };
}

function passkeyNotFound(): AppError {
	return new AppError("passkey.not_found", "no such passkey");
}
