// Enrolls a passkey: returns options for the browser, then verifies the credential that it created.

import { enrolmentOptions, type NewPasskey, verifyEnrolment } from "../../../crypto/passkey.ts";
import { randomToken } from "../../../crypto/random.ts";
import { PASSKEYS_MAX, type Passkey, type PasskeyStore } from "../../../domain/passkey.ts";
import { hasFactor } from "../../../domain/second-factor.ts";
import type { Stores } from "../../../domain/stores.ts";
import type { User } from "../../../domain/user.ts";
import { AppError, refusedField } from "../../../kernel/error.ts";
import { problem } from "../../../kernel/field-reason.ts";
import { newId } from "../../../kernel/id.ts";
import type { Needs } from "../../platform.ts";
import {
	type FactorContext,
	type FactorStores,
	recordChange,
	replaceRecoveryCodes,
} from "./factor-change.ts";
import {
	type ChallengeScope,
	consumeChallenge,
	issueChallenge,
	type PasskeyOptions,
} from "./passkey-challenge.ts";

/** Excludes authenticators that already contain a passkey that the user chose; a new one replaces an automatic one. */
export async function startEnrolment(
	deps: Needs<"passkeys" | "passkeyChallenges", "clock" | "party">,
	user: User,
	scope: ChallengeScope,
): Promise<PasskeyOptions> {
	const { passkeys } = deps.db.stores;
	const userHandle = await passkeys.handleOf(user.tenantId, user.id, randomToken());
	const exclude = (await passkeys.listAll(user.tenantId, user.id)).filter((passkey) => !passkey.automatic);
	const automatic = scope.purpose === AUTOMATIC;
	const names = { userName: user.username, displayName: user.displayName || user.username };
	return issueChallenge(deps, scope, (challenge) =>
		enrolmentOptions({ ...challenge, party: deps.party, userHandle, ...names, exclude, automatic }),
	);
}

const AUTOMATIC = "automatic_enrolment";

/** @throws AppError `passkey.unavailable` if the user has a passkey, or removed an automatic one. */
export async function checkAutomatic(
	{ passkeys }: { readonly passkeys: Pick<PasskeyStore, "findUser" | "listAll"> },
	{ tenantId, id }: User,
): Promise<void> {
	const [known, own] = [await passkeys.findUser(tenantId, id), await passkeys.listAll(tenantId, id)];
	if (known?.declined !== true && own.length === 0) return;
	throw new AppError(
		"passkey.unavailable",
		"this user has a passkey, or removed one that was created automatically",
	);
}

export type CheckedPasskey = NewPasskey & Pick<Passkey, "automatic">;

/**
 * Consumes the challenge. Only a challenge that was stored for an automatic passkey admits one that was created without user
 * presence. @throws AppError `passkey.refused`.
 */
export async function checkCredential(
	deps: Needs<"passkeyChallenges", "clock" | "party">,
	scope: ChallengeScope,
	response: unknown,
): Promise<CheckedPasskey> {
	const asked = await consumeChallenge(deps, scope, response);
	const credential = asked ?? (await consumeChallenge(deps, { ...scope, purpose: AUTOMATIC }, response));
	const automatic = asked === undefined;
	const verified =
		credential && (await verifyEnrolment(deps.party, response, credential.challenge, automatic));
	if (verified === undefined)
		throw refusedField("passkey.refused", "credential", problem("passkey_mismatch"));
	return { ...verified, automatic };
}

/** `recoveryCodes` is only set with the first second factor, and to be shown once. */
export interface EnrolledPasskey {
	readonly passkey: Passkey;
	readonly recoveryCodes: readonly string[] | undefined;
}

/** Inside a transaction. @throws AppError `passkey.enrolled`, `passkey.too_many`, `passkey.unavailable`. */
export async function addPasskey(
	stores: FactorStores & Stores<"passkeys">,
	credential: CheckedPasskey,
	name: string,
	context: FactorContext,
): Promise<EnrolledPasskey> {
	const { user, nowMs } = context;
	const ids = { id: newId(nowMs), tenantId: user.tenantId, userId: user.id };
	const passkey = { ...credential, ...ids, name, createdAtMs: nowMs, lastUsedAtMs: null };
	await stores.secondFactors.lock(user.tenantId, user.id);
	if (credential.automatic) await checkAutomatic(stores, user);
	const before = await stores.secondFactors.findEnrolled(user.tenantId, user.id);
	if (before.passkeys >= PASSKEYS_MAX)
		throw new AppError("passkey.too_many", `at most ${PASSKEYS_MAX} passkeys: remove one first`);
	if (!(await stores.passkeys.insert(passkey)))
		throw new AppError("passkey.enrolled", "this passkey is already enrolled");
	const recoveryCodes =
		credential.automatic || hasFactor(before) ? undefined : await replaceRecoveryCodes(stores, context);
	await recordChange(stores, "passkey_added", context, name);
	return { passkey, recoveryCodes };
}
