// `latchkey user`: unlocks users and resets their second factors, with the service running or stopped.

import { resetSecondFactors, unlockAccount } from "../ops/manage-accounts.ts";
import { withInstallation } from "./installation.ts";
import { printDone } from "./output.ts";

interface UserOptions {
	/** Slug. */
	readonly tenant: string;
}

/** For a user who lost both phone and recovery codes. The operator must verify who requests it. */
export async function userReset(login: string, { tenant: tenantSlug }: UserOptions): Promise<void> {
	await withInstallation(async (installation) => {
		const { id, username } = await resetSecondFactors(installation, { tenantSlug, login });
		printDone({ id, username }, `${username} no longer has a second factor; all sessions are revoked`);
	});
}

export async function userUnlock(login: string, { tenant: tenantSlug }: UserOptions): Promise<void> {
	await withInstallation(async (installation) => {
		const { id, username } = await unlockAccount(installation, { tenantSlug, login });
		printDone({ id, username }, `${username} can try to sign in again`);
	});
}
