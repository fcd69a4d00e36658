// Users add, rename, and remove their own passkeys.

import { userTarget } from "../../../domain/audit.ts";
import type { Passkey } from "../../../domain/passkey.ts";
import { hasFactor } from "../../../domain/second-factor.ts";
import { checkInPerson, type SignedIn } from "../../../domain/session.ts";
import { AppError, found } from "../../../kernel/error.ts";
import type { Needs, Platform } from "../../platform.ts";
import { checkStillSignedIn, confirmOwner } from "../steps/confirm-owner.ts";
import { checkRequiredFactor } from "./change-own-factors.ts";
import {
	addPasskey,
	checkAutomatic,
	checkCredential,
	type EnrolledPasskey,
	startEnrolment,
} from "./enrol-passkey.ts";
import { changeOwnFactors, type OwnFactorNeeds, ownFactors, recordChange } from "./factor-change.ts";
import type { ChallengeScope, PasskeyOptions } from "./passkey-challenge.ts";

type Needed = OwnFactorNeeds<"passkeys" | "passkeyChallenges"> & Pick<Platform, "party">;

/** @throws AppError what `confirmOwner` and, for an automatic passkey, `checkAutomatic` throw. */
export async function startOwnPasskey(
	deps: Needed,
	{ password, automatic = false }: { password?: string | undefined; automatic?: boolean | undefined },
	caller: SignedIn,
): Promise<PasskeyOptions> {
	const check = () => checkAutomatic(deps.db.stores, caller.user);
	// Saves the hash of the password; the user may know, but an application must prove it first.
	const isOwn = caller.appId === null;
	if (automatic && isOwn) await check();
	await confirmOwner(deps, password, caller);
	if (automatic && !isOwn) await check();
	const scope = scopeOf(caller);
	return startEnrolment(deps, caller.user, automatic ? { ...scope, purpose: "automatic_enrolment" } : scope);
}

/** @throws AppError `passkey.refused`, `passkey.enrolled`, `passkey.too_many`, `passkey.unavailable`. */
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

/** Sends no mail, because a name does not affect access. @throws AppError `application.token`, `passkey.not_found`. */
export async function renameOwnPasskey(
	{ db }: Needs<"passkeys" | "audit">,
	id: string,
	name: string,
	caller: SignedIn,
): Promise<Passkey> {
	checkInPerson(caller, "rename a passkey of its user");
	const { tenantId, userId } = caller;
	return await db.transaction(async ({ passkeys, audit }) => {
		const renamed = found(await passkeys.rename(tenantId, userId, id, name), passkeyNotFound);
		await audit.append(caller, "user.passkey_renamed", userTarget(caller.user), { passkey_id: id, name });
		return renamed;
	});
}

const LAST_WAY =
	"this passkey is the last way to sign in: set a password or link a third-party account first";

/** @throws AppError `passkey.not_found`, `passkey.last_way`, `mfa.last_factor`; what `confirmOwner` throws. */
export async function removeOwnPasskey(
	deps: Needed,
	id: string,
	passwordPlain: string | undefined,
	caller: SignedIn,
): Promise<void> {
	await changeOwnFactors(deps, passwordPlain, caller, async (stores, context) => {
		const { tenantId, userId } = caller;
		const removed = found(await stores.passkeys.remove(tenantId, userId, id), passkeyNotFound);
		if (removed.automatic) await stores.passkeys.declineAutomatic(tenantId, userId);
		// Check after the removal, under the lock, for which concurrent removals of other ways to sign in wait.
		if (!(await stores.users.canSignIn(tenantId, userId))) throw new AppError("passkey.last_way", LAST_WAY);
		const enrolled = await recordChange(stores, "passkey_removed", context, removed.name);
		if (!removed.automatic) await checkRequiredFactor(stores, tenantId, hasFactor(enrolled));
	});
}

function scopeOf({ tenantId, userId }: SignedIn): ChallengeScope {
	return { tenantId, purpose: "enrolment", subject: userId };
}

function passkeyNotFound(): AppError {
	return new AppError("passkey.not_found", "no such passkey");
}
