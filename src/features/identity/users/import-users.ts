// Imports accounts from another system, with their password hashes.

import { userTarget } from "../../../domain/audit-target.ts";
import type { Caller } from "../../../domain/caller.ts";
import { type NewUserFields, newUser } from "../../../domain/new-user.ts";
import { type NewUser, type User, type UserStore, usernameKey } from "../../../domain/user.ts";
import type { Needs } from "../../platform.ts";

/** Checked already; `email` in lower case. */
export type UserToImport = Omit<NewUserFields, "tenantId"> & Pick<NewUser, "passwordHash">;

/** `present`: an account with this username and e-mail exists, and stays unchanged. */
export type ImportOutcome = "made" | "present" | "username_taken" | "email_taken";

/**
 * One transaction for all. Existing accounts do not stop the others, so an interrupted run can start again.
 *
 * @returns an outcome per account, in order.
 */
export function importUsers(
	{ db, clock }: Needs<"users" | "audit", "clock">,
	caller: Caller,
	people: readonly UserToImport[],
): Promise<ImportOutcome[]> {
	const { tenantId } = caller;
	return db.transaction(async ({ users, audit }) => {
		const outcomes: ImportOutcome[] = [];
		for (const { passwordHash, ...person } of people) {
			const user = newUser({ ...person, tenantId }, clock());
			const { username, roles, status } = user;
			const taken = await users.insert({ ...user, passwordHash });
			if (taken === undefined) {
				const details = { username, roles, status, imported: true };
				await audit.append(caller, "user.created", userTarget(user), details);
				outcomes.push("made");
			} else outcomes.push((await isPresent(users, user)) ? "present" : `${taken}_taken`);
		}
		return outcomes;
	});
}

async function isPresent(users: UserStore, { tenantId, username, email }: User): Promise<boolean> {
	const found = await users.findByLogin(tenantId, username);
	return found?.email === email && usernameKey(found.username) === usernameKey(username);
}
