// Takes over people from another system, with the password hashes they have there.

import type { Clock } from "../../kernel/clock.ts";
import { newId } from "../../kernel/id.ts";
import { SYSTEM_ORIGIN } from "../../kernel/origin.ts";
import type { Persistence } from "../../kernel/transaction.ts";
import type { AuditLog } from "../audit/model.ts";
import {
	type NewUser,
	type SystemRole,
	sortRoles,
	type UserStatus,
	type UserStore,
	usernameKey,
} from "./model.ts";

/** Checked already; `email` in lower case. */
export interface UserToImport {
	readonly username: string;
	readonly email: string;
	/** bcrypt, or `NO_PASSWORD`: somebody without a password, who sets one by `POST /auth/password/forgot`. */
	readonly passwordHash: string;
	readonly emailVerified: boolean;
	readonly displayName: string;
	readonly avatarUrl: string;
	readonly status: UserStatus;
	readonly roles: readonly SystemRole[];
	/** Null: now. */
	readonly createdAtMs: number | null;
}

/** What became of a person: `present` is somebody with this username and e-mail already, who is left as they are. */
export type ImportOutcome = "made" | "present" | "username_taken" | "email_taken";

export interface ImportUsersDeps {
	readonly db: Persistence<{ users: UserStore; audit: AuditLog }>;
	readonly clock: Clock;
}

/**
 * One transaction for all of them; whoever is there already hinders nobody else, so that a run that was cut short is
 * begun again from the start.
 *
 * @returns an outcome a person, in order.
 */
export function importUsers(
	{ db, clock }: ImportUsersDeps,
	tenantId: string,
	people: readonly UserToImport[],
): Promise<ImportOutcome[]> {
	return db.transaction(async ({ users, audit }) => {
		const outcomes: ImportOutcome[] = [];
		for (const person of people) {
			const user = newUser(tenantId, person, clock());
			const taken = await users.insert(user);
			if (taken === undefined) {
				await audit.append({
					tenantId,
					actor: "system",
					action: "user.created",
					target: `user:${user.id}`,
					origin: SYSTEM_ORIGIN,
					details: { username: user.username, roles: user.roles, status: user.status, imported: true },
				});
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
