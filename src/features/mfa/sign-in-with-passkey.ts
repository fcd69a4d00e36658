// Sign-in with a passkey alone: the key is one factor, knowing its owner the other.

import { assertionOptions } from "../../crypto/passkey.ts";
import { AppError } from "../../kernel/error.ts";
import type { Origin } from "../../kernel/origin.ts";
import type { Persistence } from "../../kernel/transaction.ts";
import type { AuditLog } from "../audit/model.ts";
import type { CompleteSignIn, SignInOutcome } from "../auth/model.ts";
import type { UserStore } from "../users/model.ts";
import type { Passkey, PasskeyStore } from "./model.ts";
import { type AskedPasskey, ask } from "./passkey-challenge.ts";
import { type ProvePasskeyDeps, provePasskey } from "./prove-passkey.ts";

interface PasskeySignInStores {
	readonly users: UserStore;
	readonly passkeys: PasskeyStore;
	readonly audit: AuditLog;
}

export type PasskeySignInDeps = {
	readonly db: Persistence<PasskeySignInStores>;
	readonly complete: CompleteSignIn<PasskeySignInStores>;
} & ProvePasskeyDeps;

/** For whoever comes: the browser lets people choose among the accounts it has a passkey for. */
export function startPasskeySignIn(deps: PasskeySignInDeps, tenantId: string): Promise<AskedPasskey> {
	return ask(deps, placeOf(tenantId), (asked) =>
		assertionOptions({ ...asked, party: deps.party, userVerification: "required" }),
	);
}

export interface PasskeyCredentials {
	readonly tenantId: string;
	readonly assertion: unknown;
	readonly appId: string | null;
}

/** @throws AppError `passkey.invalid`; `account.disabled`, `application.access_denied` as with a password. */
export async function signInWithPasskey(
	deps: PasskeySignInDeps,
	{ tenantId, assertion, appId }: PasskeyCredentials,
	origin: Origin,
): Promise<SignInOutcome> {
	const { passkey, proved } = await provePasskey(deps, placeOf(tenantId), assertion, { alone: true });
	const user = passkey && (await deps.db.stores.users.findById(tenantId, passkey.userId));
	if (passkey === undefined || user === undefined) throw invalidPasskey();
	if (proved === undefined) return await refuse(deps, passkey, appId, "passkey.invalid", origin);
	const use = ({ passkeys }: PasskeySignInStores) => passkeys.use(passkey, proved.signCount, deps.clock());
	const factor = {
		user,
		appId,
		amr: proved.amr,
		confirm: use,
		refused: async (stores: PasskeySignInStores) => void (await use(stores)),
	};
	const outcome = await deps.complete(factor, origin);
	return outcome ?? (await refuse(deps, passkey, appId, "passkey.counter", origin));
}

/** @throws AppError `passkey.invalid`, always. `passkey.counter`: the count did not rise, the key may have been copied. */
async function refuse(
	{ db }: PasskeySignInDeps,
	{ id, tenantId, userId }: Passkey,
	appId: string | null,
	reason: "passkey.invalid" | "passkey.counter",
	origin: Origin,
): Promise<never> {
	await db.transaction(({ audit }) =>
		audit.append({
			tenantId,
			actor: "anonymous",
			action: "user.sign_in_failed",
			target: `user:${userId}`,
			origin,
			details: { reason, passkey_id: id, app_id: appId },
		}),
	);
	throw invalidPasskey();
}

/** One message for every reason. */
function invalidPasskey(): AppError {
	return new AppError(
		"passkey.invalid",
		"this passkey does not sign in here, or its challenge was used or expired",
	);
}

function placeOf(tenantId: string) {
	return { tenantId, purpose: "sign_in", subject: "" } as const;
}
