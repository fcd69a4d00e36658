// A signed-in person adds and removes their own passkeys.

import { enrolmentOptions, verifyEnrolment } from "../../crypto/passkey.ts";
import { randomToken } from "../../crypto/random.ts";
import { AppError, invalidField } from "../../kernel/error.ts";
import { newId } from "../../kernel/id.ts";
import type { Persistence } from "../../kernel/transaction.ts";
import type { UserStore } from "../users/model.ts";
import { checkKeepsOne, factorContext } from "./change-own-factors.ts";
import { type ConfirmOwnerDeps, confirmOwner, type OwnerContext } from "./confirm-owner.ts";
import { type FactorStores, putRecoveryCodes, recordChange } from "./factor-change.ts";
import { hasFactor, PASSKEYS_MAX, type Passkey, type PasskeyStore } from "./model.ts";
import {
	type AskedPasskey,
	ask,
	type ChallengeDeps,
	type ChallengePlace,
	takeChallenge,
} from "./passkey-challenge.ts";

export type OwnPasskeyDeps = {
	readonly db: Persistence<FactorStores & { readonly passkeys: PasskeyStore; readonly users: UserStore }>;
	readonly wakeMail: () => void;
} & ChallengeDeps &
	ConfirmOwnerDeps;

/** @throws what `confirmOwner` throws. */
export async function startOwnPasskey(
	deps: OwnPasskeyDeps,
	passwordPlain: string | undefined,
	context: OwnerContext,
): Promise<AskedPasskey> {
	await confirmOwner(deps, passwordPlain, context);
	const { tenantId, user } = context.signedIn;
	const { passkeys } = deps.db.stores;
	const userHandle = await passkeys.handleOf(tenantId, user.id, randomToken());
	const exclude = await passkeys.listAll(tenantId, user.id);
	const displayName = user.displayName || user.username;
	return await ask(deps, placeOf(context), (asked) =>
		enrolmentOptions({
			...asked,
			party: deps.party,
			userHandle,
			userName: user.username,
			displayName,
			exclude,
		}),
	);
}

/** With the recovery codes, shown this once, where it is the first second factor. */
export interface EnrolledPasskey {
	readonly passkey: Passkey;
	readonly recoveryCodes: readonly string[] | undefined;
}

/** @throws AppError `passkey.refused`, `passkey.enrolled`, `passkey.too_many`. */
export async function confirmOwnPasskey(
	deps: OwnPasskeyDeps,
	given: { readonly name: string; readonly credential: unknown },
	context: OwnerContext,
): Promise<EnrolledPasskey> {
	const { tenantId, user } = context.signedIn;
	const told = await takeChallenge(deps, placeOf(context), given.credential);
	const made = told && (await verifyEnrolment(deps.party, given.credential, told.challenge));
	if (made === undefined)
		throw invalidField(
			"credential",
			"is no answer to the options asked for last, or came too late",
			"passkey.refused",
		);
	const change = factorContext(deps, context);
	const { nowMs } = change;
	const ids = { id: newId(nowMs), tenantId, userId: user.id };
	const passkey = { ...made, ...ids, name: given.name, createdAtMs: nowMs, lastUsedAtMs: null };
	const recoveryCodes = await deps.db.transaction(async (stores) => {
		await stores.secondFactors.lock(tenantId, user.id);
		const before = await stores.secondFactors.findEnrolled(tenantId, user.id);
		if (before.passkeys >= PASSKEYS_MAX)
			throw new AppError("passkey.too_many", `at most ${PASSKEYS_MAX} passkeys: remove one first`);
		if (!(await stores.passkeys.insert(passkey)))
			throw new AppError("passkey.enrolled", "this passkey is enrolled already");
		const codes = hasFactor(before) ? undefined : await putRecoveryCodes(stores, change);
		await recordChange(stores, "passkey_added", change, given.name);
		return codes;
	});
	deps.wakeMail();
	return { passkey, recoveryCodes };
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
