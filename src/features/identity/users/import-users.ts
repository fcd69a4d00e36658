// Imports accounts from another system, with their password hashes.

import { userTarget } from "../../../domain/audit.ts";
import type { Caller } from "../../../domain/caller.ts";
import { type NewUserFields, newUser } from "../../../domain/new-user.ts";
import { type NewUser, type UserStore, usernameKey } from "../../../domain/user.ts";
import type { Clock } from "../../../kernel/clock.ts";
import type { Needs } from "../../platform.ts";

/** Validated; `email` in lower case. */
export type UserToImport = Omit<NewUserFields, "tenantId"> &
	Pick<NewUser, "passwordHash"> & {
		/** Set if the username was derived from the email address: the username to use if that one is taken. */
		readonly otherUsername?: string;
	};

/**
 * `present`: an account with this username and email address already exists, or one with this email address if the
 * username was derived from it. It is unchanged.
 */
export type ImportOutcome = "created" | "present" | "username_taken" | "email_taken";

/** The accounts that an import adds to. */
interface Accounts extends Pick<UserStore, "insert" | "insertAll"> {
	findByLogin(tenantId: string, login: string): Promise<{ readonly username: string } | undefined>;
}

/**
 * One transaction for all accounts. Skips existing ones, so an interrupted run can be repeated.
 *
 * @returns the outcome of each account, in order.
 */
export function importUsers(
	{ db, clock }: Needs<"users" | "audit", "clock">,
	caller: Caller,
	people: readonly UserToImport[],
): Promise<ImportOutcome[]> {
	return db.transaction(({ users, audit }) => {
		const append = ({ username, roles, status, ...user }: NewUser): Promise<void> => {
			const details = { username, roles, status, imported: true };
			return audit.append(caller, "user.created", userTarget({ ...user, username }), details);
		};
		const accounts: Accounts = {
			findByLogin: users.findByLogin,
			async insertAll(all) {
				const inserted = await users.insertAll(all);
				for (const user of all) if (inserted.has(user.id)) await append(user);
				return inserted;
			},
			async insert(user) {
				const taken = await users.insert(user);
				if (taken === undefined) await append(user);
				return taken;
			},
		};
		return importInto(accounts, caller, people, clock);
	});
}

/**
 * Returns what `importUsers` would do, and writes nothing. Remembers the users of all calls, about 200 bytes each,
 * because users of one file may have the same name.
 */
export function createImportRehearsal({ db, clock }: Needs<"users", "clock">) {
	const accounts = rehearsedAccounts(db.stores.users);
	return (caller: Caller, people: readonly UserToImport[]): Promise<ImportOutcome[]> =>
		importInto(accounts, caller, people, clock);
}

async function importInto(
	accounts: Accounts,
	{ tenantId }: Caller,
	people: readonly UserToImport[],
	clock: Clock,
): Promise<ImportOutcome[]> {
	const all = people.map(({ passwordHash, otherUsername, ...person }) => {
		return { user: { ...newUser({ ...person, tenantId }, clock()), passwordHash }, otherUsername };
	});
	const inserted = await accounts.insertAll(all.map(({ user }) => user));
	const outcomes: ImportOutcome[] = [];
	for (const { user, otherUsername } of all)
		outcomes.push(inserted.has(user.id) ? "created" : await importUser(accounts, user, otherUsername));
	return outcomes;
}

async function importUser(
	accounts: Accounts,
	user: NewUser,
	otherUsername: string | undefined,
): Promise<ImportOutcome> {
	const taken = await accounts.insert(user);
	if (taken === undefined) return "created";
	const holder = await accounts.findByLogin(user.tenantId, user.email);
	const isSame = holder !== undefined && usernameKey(holder.username) === usernameKey(user.username);
	if (isSame || (holder !== undefined && otherUsername !== undefined)) return "present";
	if (taken === "username" && otherUsername !== undefined)
		return await importUser(accounts, { ...user, username: otherUsername }, undefined);
	return `${taken}_taken`;
}

/** The accounts of the store, and those inserted here, which are kept in memory. */
function rehearsedAccounts(users: UserStore): Accounts {
	const namesByEmail = new Map<string, string>();
	const names = new Set<string>();
	const findByLogin: Accounts["findByLogin"] = async (tenantId, login) => {
		const username = namesByEmail.get(login) ?? (names.has(usernameKey(login)) ? login : undefined);
		return username === undefined ? await users.findByLogin(tenantId, login) : { username };
	};
	const insert: Accounts["insert"] = async ({ tenantId, username, email }) => {
		if ((await findByLogin(tenantId, username)) !== undefined) return "username";
		if ((await findByLogin(tenantId, email)) !== undefined) return "email";
		namesByEmail.set(email, username);
		names.add(usernameKey(username));
		return undefined;
	};
	return {
		findByLogin,
		insert,
		async insertAll(users) {
			const inserted = new Set<string>();
			for (const user of users) if ((await insert(user)) === undefined) inserted.add(user.id);
			return inserted;
		},
	};
}
