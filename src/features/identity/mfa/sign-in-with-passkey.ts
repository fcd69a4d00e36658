// Signs in with a passkey alone: possession of the key and user verification are two factors.

import { assertionOptions } from "../../../crypto/passkey.ts";
import { userTarget } from "../../../domain/audit.ts";
import type { Caller } from "../../../domain/caller.ts";
import type { SignInOutcome } from "../../../domain/sign-in.ts";
import { AppError } from "../../../kernel/error.ts";
import type { Needs } from "../../platform.ts";
import {
	completeSignIn,
	countSignIn,
	type SignInNeeds,
	type SignInStores,
} from "../steps/complete-sign-in.ts";
import {
	type ChallengeScope,
	issueChallenge,
	type PasskeyOptions,
	provePasskey,
} from "./passkey-challenge.ts";

/** Names no account: the browser offers the accounts for which it has a passkey. */
export function startPasskeySignIn(
	deps: Needs<"passkeyChallenges", "clock" | "party">,
	caller: Caller,
): Promise<PasskeyOptions> {
	return issueChallenge(deps, scopeOf(caller), (challenge) =>
		assertionOptions({ ...challenge, party: deps.party, userVerification: "required" }),
	);
}

/** @throws AppError `passkey.invalid`; `account.disabled`, `application.access_denied` as with a password. */
export function signInWithPasskey(
	deps: SignInNeeds<"passkeyChallenges", "party">,
	{ assertion, appId }: { readonly assertion: unknown; readonly appId: string | null },
	caller: Caller,
): Promise<SignInOutcome> {
	return countSignIn(deps.statistics, caller.tenantId, async () => {
		const { passkey, proved } = await provePasskey(deps, scopeOf(caller), assertion, { alone: true });
		const user = passkey && (await deps.db.stores.users.findById(caller.tenantId, passkey.userId));
		if (passkey === undefined || user === undefined) throw invalidPasskey();
		if (proved !== undefined) {
			const { amr, signCount } = proved;
			const consume = ({ passkeys }: SignInStores) => passkeys.use(passkey, signCount, deps.clock());
			const factor = { user, appId, amr, confirm: consume, refused: consume };
			const outcome = await completeSignIn(deps, factor, caller.origin);
			if (outcome !== undefined) return outcome;
		}
		// `passkey.counter`: the signature counter did not increase, so the key may have been copied.
		const reason = proved === undefined ? "passkey.invalid" : "passkey.counter";
		const details = { reason, passkey_id: passkey.id, app_id: appId };
		await deps.db.transaction(({ audit }) =>
			audit.append(caller, "user.sign_in_failed", userTarget(user), details),
		);
		throw invalidPasskey();
	});
}

/** One error for every reason. */
function invalidPasskey(): AppError {
	return new AppError(
		"passkey.invalid",
		"this passkey cannot sign in here, or its challenge was used or has expired",
	);
}

function scopeOf({ tenantId }: Caller): ChallengeScope {
	return { tenantId, purpose: "sign_in", subject: "" };
}
