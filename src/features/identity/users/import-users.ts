// Imports accounts from another system, with their password hashes.

import {
	type NewUser,
	type SystemRole,
	sortRoles,
	type UserStatus,
	type UserStore,
	usernameKey,
} from "../../../domain/user.ts";
import { newId } from "../../../kernel/id.ts";
import { SYSTEM_ORIGIN } from "../../../kernel/origin.ts";
import type { Needs } from "../../platform.ts";

/** Checked already; `email` in lower case. */
export interface UserToImport {
	readonly username: string;
	readonly email: string;
	/** bcrypt, or `NO_PASSWORD`: the user sets one by `POST /auth/password/forgot`. */
	readonly passwordHash: string;
	readonly emailVerified: boolean;
	readonly displayName: string;
	readonly avatarUrl: string;
	readonly status: UserStatus;
	readonly roles: readonly SystemRole[];
	/** Null: now. */
	readonly createdAtMs: number | null;
}

/** `present`: an account with this username and e-mail exists, and stays unchanged. */
export type ImportOutcome = "made" | "present" | "username_taken" | "email_taken";

/**
 * One transaction for all. Existing accounts do not stop the others, so an interrupted run can start again.
 *
 * @returns an outcome per account, in order.
 */
export function importUsers(
	{ db, clock }: Needs<"users" | "audit", "clock">,
	tenantId: string,
	people: readonly UserToImport[],
): Promise<ImportOutcome[]> {
	return db.transaction(async ({ users, audit }) => {
		const outcomes: ImportOutcome[] = [];
		for (const person of people) {
			const user = newUser(tenantId, person, clock());
			const taken = await users.insert(user);
			if (taken === undefined) {
				await audit.append(
					{ tenantId, actor: "system", origin: SYSTEM_ORIGIN },
					"user.created",
					`user:${user.id}`,
					{ username: user.username, roles: user.roles, status: user.status, imported: true },
				);
				outcomes.push("made");
			} else outcomes.push((await isPresent(users, user)) ? "present" : `${taken}_taken`);
		}
		return outcomes;
	});
}

async function isPresent(users: UserStore, { tenantId, username, email }: NewUser): Promise<boolean> {
	const found = await users.findByLogin(tenantId, username);
	return found?.email === email && usernameKey(found.username) === usernameKey(username);
}

function newUser(tenantId: string, person: UserToImport, nowMs: number): NewUser {
	const { createdAtMs, ...fields } = person;
	return {
		...fields,
		id: newId(nowMs),
		tenantId,
		roles: sortRoles(person.roles),
		mfaEnabled: false,
		lastLoginAtMs: null,
		createdAtMs: createdAtMs ?? nowMs,
		updatedAtMs: nowMs,
	};
}
