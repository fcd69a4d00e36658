// Signs in with a passkey alone: possession of the key and user verification are two factors.

import { assertionOptions } from "../../../crypto/passkey.ts";
import { userTarget } from "../../../domain/audit.ts";
import type { Caller } from "../../../domain/caller.ts";
import type { SignInOutcome } from "../../../domain/sign-in.ts";
import type { User } from "../../../domain/user.ts";
import { AppError } from "../../../kernel/error.ts";
import type { Needs } from "../../platform.ts";
import {
	completeSignIn,
	type SignInPart,
	type SignInStore,
	type SignInStores,
} from "../steps/complete-sign-in.ts";
import { countSignIn } from "../steps/count-sign-in.ts";
import {
	type ChallengeScope,
	issueChallenge,
	type PasskeyOptions,
	provePasskey,
} from "./passkey-challenge.ts";

/** Names no account: the browser offers those it has a passkey for. */
export function startPasskeySignIn(
	deps: Needs<"passkeyChallenges", "clock" | "party">,
	caller: Caller,
): Promise<PasskeyOptions> {
	return issueChallenge(deps, scopeOf(caller), (challenge) =>
		assertionOptions({ ...challenge, party: deps.party, userVerification: "required" }),
	);
}

type Needed = Needs<SignInStore | "passkeyChallenges", SignInPart | "party">;

interface PasskeySignIn {
	readonly assertion: unknown;
	readonly appId: string | null;
}

/** @throws AppError `passkey.invalid`; `account.disabled`, `application.access_denied` as with a password. */
export function signInWithPasskey(
	deps: Needed,
	passkey: PasskeySignIn,
	caller: Caller,
): Promise<SignInOutcome> {
	return countSignIn(deps.statistics, caller.tenantId, () => proveAndEnter(deps, passkey, caller));
}

async function proveAndEnter(
	deps: Needed,
	{ assertion, appId }: PasskeySignIn,
	caller: Caller,
): Promise<SignInOutcome> {
	const { passkey, proved } = await provePasskey(deps, scopeOf(caller), assertion, { alone: true });
	const user = passkey && (await deps.db.stores.users.findById(caller.tenantId, passkey.userId));
	if (passkey === undefined || user === undefined) throw invalidPasskey();
	if (proved === undefined) return refuse(deps, user, passkey.id, appId, "passkey.invalid", caller);
	const { amr, signCount } = proved;
	const consume = ({ passkeys }: SignInStores) => passkeys.use(passkey, signCount, deps.clock());
	const factor = { user, appId, amr, confirm: consume, refused: consume };
	const outcome = await completeSignIn(deps, factor, caller.origin);
	return outcome ?? refuse(deps, user, passkey.id, appId, "passkey.counter", caller);
}

/**
 * @param reason `passkey.counter`: the signature counter did not increase, the key may have been copied.
 * @throws AppError `passkey.invalid`, always.
 */
async function refuse(
	{ db }: Needs<"audit">,
	user: User,
	passkeyId: string,
	appId: string | null,
	reason: "passkey.invalid" | "passkey.counter",
	caller: Caller,
): Promise<never> {
	const details = { reason, passkey_id: passkeyId, app_id: appId };
	await db.transaction(({ audit }) => audit.append(caller, "user.sign_in_failed", userTarget(user), details));
	throw invalidPasskey();
}

/** One error for every reason. */
function invalidPasskey(): AppError {
	return new AppError(
		"passkey.invalid",
		"this passkey does not sign in here, or its challenge was used or expired",
	);
}

function scopeOf({ tenantId }: Caller): ChallengeScope {
	return { tenantId, purpose: "sign_in", subject: "" };
}
