// A signed-in user adds, renames and removes own passkeys.

import { userTarget } from "../../../domain/audit.ts";
import type { Passkey } from "../../../domain/passkey.ts";
import { hasFactor } from "../../../domain/second-factor.ts";
import type { SignedIn } from "../../../domain/session.ts";
import { AppError } from "../../../kernel/error.ts";
import type { Needs, Platform } from "../../platform.ts";
import { checkStillSignedIn, confirmOwner } from "../steps/prove-password.ts";
import { checkRequiredFactor } from "./change-own-factors.ts";
import { addPasskey, checkCredential, type EnrolledPasskey, startEnrolment } from "./enrol-passkey.ts";
import { changeOwnFactors, type OwnFactorNeeds, ownFactors, recordChange } from "./factor-change.ts";
import type { ChallengeScope, PasskeyOptions } from "./passkey-challenge.ts";

type Needed = OwnFactorNeeds<"passkeys" | "passkeyChallenges"> & Pick<Platform, "party">;

/** @throws what `confirmOwner` throws. */
export async function startOwnPasskey(
	deps: Needed,
	passwordPlain: string | undefined,
	caller: SignedIn,
): Promise<PasskeyOptions> {
	await confirmOwner(deps, passwordPlain, caller);
	return startEnrolment(deps, caller.user, scopeOf(caller));
}

/** @throws AppError `passkey.refused`, `passkey.enrolled`, `passkey.too_many`. */
export async function confirmOwnPasskey(
	deps: Needed,
	{ name, credential }: { readonly name: string; readonly credential: unknown },
	caller: SignedIn,
): Promise<EnrolledPasskey> {
	const verified = await checkCredential(deps, scopeOf(caller), credential);
	const enrolled = await deps.db.transaction(async (stores) => {
		await checkStillSignedIn(stores, caller);
		return addPasskey(stores, verified, name, ownFactors(deps, caller));
	});
	deps.wakeMail();
	return enrolled;
}

/** Sends no mail: a name changes nothing about access. @throws AppError `passkey.not_found`. */
export async function renameOwnPasskey(
	{ db }: Needs<"passkeys" | "audit">,
	id: string,
	name: string,
	caller: SignedIn,
): Promise<Passkey> {
	const { tenantId, userId } = caller;
	return db.transaction(async ({ passkeys, audit }) => {
		const renamed = await passkeys.rename(tenantId, userId, id, name);
		if (renamed === undefined) throw passkeyNotFound();
		await audit.append(caller, "user.passkey_renamed", userTarget(caller.user), { passkey_id: id, name });
		return renamed;
	});
}

const LAST_WAY = "this passkey is the last way to sign in: set a password or link an account elsewhere first";

/** @throws AppError `passkey.not_found`, `passkey.last_way`, `mfa.last_factor`; what `confirmOwner` throws. */
export async function removeOwnPasskey(
	deps: Needed,
	id: string,
	passwordPlain: string | undefined,
	caller: SignedIn,
): Promise<void> {
	await changeOwnFactors(deps, passwordPlain, caller, async (stores, context) => {
		const { tenantId, userId } = caller;
		const removed = await stores.passkeys.remove(tenantId, userId, id);
		if (removed === undefined) throw passkeyNotFound();
		// Checked after the removal and under the lock: simultaneous removals of other ways in wait for it.
		if (!(await stores.users.canSignIn(tenantId, userId))) throw new AppError("passkey.last_way", LAST_WAY);
		const enrolled = await recordChange(stores, "passkey_removed", context, removed.name);
		await checkRequiredFactor(stores, tenantId, hasFactor(enrolled));
	});
}

function scopeOf({ tenantId, userId }: SignedIn): ChallengeScope {
	return { tenantId, purpose: "enrolment", subject: userId };
}

function passkeyNotFound(): AppError {
	return new AppError("passkey.not_found", "no such passkey");
}
