// Accounts managed from the command line: create an admin, reset a password or second factors, unlock.

import { openDerivation } from "../app/stored-keys.ts";
import type { PasswordHasher } from "../crypto/password.ts";
import { randomPassword } from "../crypto/random.ts";
import { userTarget } from "../domain/audit.ts";
import { newUser } from "../domain/new-user.ts";
import type { StoreName } from "../domain/stores.ts";
import type { SystemRole } from "../domain/system-role.ts";
import { DEFAULT_TENANT_SLUG } from "../domain/tenant.ts";
import { type User, writeError } from "../domain/user.ts";
import { createAuthKeys } from "../features/identity/auth/auth-keys.ts";
import { removeAllFactors } from "../features/identity/mfa/factor-change.ts";
import { setPassword } from "../features/identity/steps/set-password.ts";
import { endAllSessionsIn } from "../features/identity/users/end-session.ts";
import { unlockUser } from "../features/identity/users/manage-users.ts";
import type { Needs } from "../features/platform.ts";
import { AppError } from "../kernel/error.ts";
import { SYSTEM_ORIGIN } from "../kernel/origin.ts";
import { StartError } from "../kernel/start-error.ts";
import { cliCaller, operatorCaller } from "./cli-caller.ts";
import { getTenantId } from "./tenant-by-slug.ts";

/** Of users whose sessions end in one transaction, which sends five statements for each. */
const USERS_AT_ONCE = 50;

type Needed = Needs<StoreName, "passwords" | "clock" | "secretBox">;

export interface PasswordChoice {
	readonly passwordPlain: string;
	/** Generated here: show it once. */
	readonly isGenerated: boolean;
}

interface Account {
	readonly tenantSlug: string;
	/** Username or email. */
	readonly login: string;
}

/**
 * Creates an account with the roles of the first admin: `admin` in its tenant, and in the default tenant also
 * `platform_admin`. Recovers an installation without a usable admin account.
 *
 * @param admin without `passwordPlain`, a random password is generated.
 * @throws StartError for an unknown tenant; AppError `password.*` (policy), `username.taken`, `email.taken`.
 */
export async function createAdmin(
	{ db, passwords, clock }: Needed,
	admin: {
		readonly tenantSlug: string;
		readonly username: string;
		/** Lower case. */
		readonly email: string;
		readonly passwordPlain?: string | undefined;
	},
): Promise<PasswordChoice & { readonly user: User }> {
	const { username, email } = admin;
	const tenantId = await getTenantId(db, admin.tenantSlug);
	const password = await choosePassword(passwords, admin.passwordPlain, admin);
	const passwordHash = await passwords.hash(password.passwordPlain, SYSTEM_ORIGIN.ip);
	const roles: SystemRole[] =
		admin.tenantSlug === DEFAULT_TENANT_SLUG ? ["admin", "platform_admin"] : ["admin"];
	const user = newUser({ tenantId, username, email, emailVerified: true, roles }, clock());
	await db.transaction(async ({ users, audit }) => {
		const taken = await users.insert({ ...user, passwordHash });
		if (taken !== undefined) throw writeError(taken);
		const details = { username, roles, status: user.status };
		await audit.append(cliCaller(tenantId), "user.created", userTarget(user), details);
	});
	return { ...password, user };
}

/**
 * Sets a new password, revokes all sessions of the account, and notifies its owner by mail.
 *
 * @param account without `passwordPlain`, a random password is generated.
 * @throws StartError for an unknown tenant or account; AppError `password.*` (policy).
 */
export async function resetPassword(
	{ db, passwords, clock, secretBox }: Needed,
	account: Account & { readonly passwordPlain?: string | undefined },
): Promise<PasswordChoice & { readonly user: User; readonly sessionsEnded: number }> {
	const user = await getUser(db, account);
	const password = await choosePassword(passwords, account.passwordPlain, user);
	const passwordHash = await passwords.hash(password.passwordPlain, SYSTEM_ORIGIN.ip);
	const keys = createAuthKeys(await openDerivation({ db, secretBox, clock }));
	const sessionsEnded = await db.transaction(async (stores) => {
		const change = { user, nowMs: clock(), passwordHash, action: "user.password_reset" } as const;
		const ended = await setPassword(stores, keys, change, cliCaller(user.tenantId));
		if (ended === undefined) throw noSuchUser(account);
		return ended;
	});
	return { ...password, user, sessionsEnded };
}

/**
 * Removes every second factor and recovery code of an account, revokes its sessions, and notifies its owner by mail.
 *
 * @throws StartError for an unknown tenant or account.
 */
export async function resetSecondFactors(
	{ db, clock }: Pick<Needed, "db" | "clock">,
	account: Account,
): Promise<User> {
	return db.transaction(async (stores) => {
		const user = await getUser({ stores }, account);
		await removeAllFactors(stores, { user, caller: cliCaller(user.tenantId), nowMs: clock() });
		return user;
	});
}

/**
 * Removes the lock and every delay that followed wrong passwords and codes.
 *
 * @throws StartError for an unknown tenant or account.
 */
export async function unlockAccount(
	{ db, clock, secretBox }: Pick<Needed, "db" | "clock" | "secretBox">,
	account: Account,
): Promise<User> {
	const user = await getUser(db, account);
	const keys = createAuthKeys(await openDerivation({ db, secretBox, clock }));
	await unlockUser({ db, keys }, user.id, operatorCaller(user.tenantId));
	return user;
}

/**
 * Revokes every session of every user of a tenant, a few users in each transaction: none holds up sign-ins for long, and a
 * repeated call continues.
 *
 * @yields the totals so far, after each transaction.
 * @throws StartError for an unknown tenant.
 */
export async function* signOutEveryone(
	{ db, clock }: Pick<Needed, "db" | "clock">,
	tenantSlug: string,
): AsyncGenerator<{ readonly users: number; readonly sessions: number }> {
	const caller = operatorCaller(await getTenantId(db, tenantSlug));
	let [users, sessions, last] = [0, 0, ""];
	for (;;) {
		const ids = await db.stores.sessions.listUserIds(caller.tenantId, last, USERS_AT_ONCE);
		if (ids.length === 0) return;
		sessions += await db.transaction(async (stores) => {
			let ended = 0;
			for (const id of ids) ended += await endAllSessionsIn(stores, id, caller, clock()).catch(noneIfDeleted);
			return ended;
		});
		users += ids.length;
		last = ids.at(-1) as string;
		yield { users, sessions };
	}
}

/** A user who was deleted in the meantime has no session. */
function noneIfDeleted(error: unknown): number {
	if (error instanceof AppError && error.code === "user.not_found") return 0;
	throw error;
}

async function choosePassword(
	passwords: PasswordHasher,
	chosen: string | undefined,
	{ username, email }: { readonly username: string; readonly email: string },
): Promise<PasswordChoice> {
	const passwordPlain = await passwords.check(chosen ?? randomPassword(), { username, email });
	return { passwordPlain, isGenerated: chosen === undefined };
}

async function getUser(db: Pick<Needed["db"], "stores">, account: Account): Promise<User> {
	const tenantId = await getTenantId(db, account.tenantSlug);
	const user = await db.stores.users.findByLogin(tenantId, account.login);
	if (user === undefined) throw noSuchUser(account);
	return user;
}

function noSuchUser({ login }: Account): StartError {
	return new StartError(`there is no user ${JSON.stringify(login)}`, { kind: "not_found" });
}
