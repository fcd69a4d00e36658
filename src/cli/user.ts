// `latchkey user`: unlocks users, resets their second factors, and signs them all out, with the service running or stopped.

import { resetSecondFactors, signOutEveryone, unlockAccount } from "../ops/manage-accounts.ts";
import { withInstallation } from "./installation.ts";
import { printDone } from "./output.ts";
import { printEverySecond } from "./progress.ts";

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

/** After a theft of many sessions. One user is `latchkey api POST /users/{id}/sessions/revoke`. */
export async function userSignOutAll({ tenant: tenantSlug }: UserOptions): Promise<void> {
	const progress = printEverySecond((users: number) => `${users} users signed out so far`);
	await withInstallation(async (installation) => {
		let total = { users: 0, sessions: 0 };
		for await (total of signOutEveryone(installation, tenantSlug)) progress(total.users);
		printDone(total, `${total.sessions} sessions of ${total.users} users revoked`);
	});
}
