// A passkey: asked of the browser, there with its answer.

import { enrolmentOptions, type MadePasskey, verifyEnrolment } from "../../crypto/passkey.ts";
import { randomToken } from "../../crypto/random.ts";
import { AppError, invalidField } from "../../kernel/error.ts";
import { newId } from "../../kernel/id.ts";
import type { Persistence } from "../../kernel/transaction.ts";
import type { User } from "../users/model.ts";
import { type FactorContext, type FactorStores, putRecoveryCodes, recordChange } from "./factor-change.ts";
import { hasFactor, PASSKEYS_MAX, type Passkey, type PasskeyStore } from "./model.ts";
import {
	type AskedPasskey,
	ask,
	type ChallengeDeps,
	type ChallengePlace,
	takeChallenge,
} from "./passkey-challenge.ts";

export type EnrolPasskeyStores = FactorStores & { readonly passkeys: PasskeyStore };

export type EnrolPasskeyDeps = { readonly db: Persistence<EnrolPasskeyStores> } & ChallengeDeps;

/** Leaves out authenticators that hold one of the user's passkeys. */
export async function askEnrolment(
	deps: EnrolPasskeyDeps,
	user: User,
	place: ChallengePlace,
): Promise<AskedPasskey> {
	const { passkeys } = deps.db.stores;
	const userHandle = await passkeys.handleOf(user.tenantId, user.id, randomToken());
	const exclude = await passkeys.listAll(user.tenantId, user.id);
	const displayName = user.displayName || user.username;
	return await ask(deps, place, (asked) =>
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

/** Uses the challenge up. @throws AppError `passkey.refused`. */
export async function checkCredential(
	deps: EnrolPasskeyDeps,
	place: ChallengePlace,
	credential: unknown,
): Promise<MadePasskey> {
	const told = await takeChallenge(deps, place, credential);
	const made = told && (await verifyEnrolment(deps.party, credential, told.challenge));
	if (made !== undefined) return made;
	const complaint = "is no answer to the options asked for last, or came too late";
	throw invalidField("credential", complaint, "passkey.refused");
}

/** With the recovery codes, shown this once, where it is the first second factor. */
export interface EnrolledPasskey {
	readonly passkey: Passkey;
	readonly recoveryCodes: readonly string[] | undefined;
}

/** Inside a transaction. @throws AppError `passkey.enrolled`, `passkey.too_many`. */
export async function addPasskey(
	stores: EnrolPasskeyStores,
	made: MadePasskey,
	name: string,
	change: FactorContext,
): Promise<EnrolledPasskey> {
	const { user, nowMs } = change;
	const ids = { id: newId(nowMs), tenantId: user.tenantId, userId: user.id };
	const passkey = { ...made, ...ids, name, createdAtMs: nowMs, lastUsedAtMs: null };
	await stores.secondFactors.lock(user.tenantId, user.id);
	const before = await stores.secondFactors.findEnrolled(user.tenantId, user.id);
	if (before.passkeys >= PASSKEYS_MAX)
		throw new AppError("passkey.too_many", `at most ${PASSKEYS_MAX} passkeys: remove one first`);
	if (!(await stores.passkeys.insert(passkey)))
		throw new AppError("passkey.enrolled", "this passkey is enrolled already");
	const recoveryCodes = hasFactor(before) ? undefined : await putRecoveryCodes(stores, change);
	await recordChange(stores, "passkey_added", change, name);
	return { passkey, recoveryCodes };
}
