// What whoever runs the service may do to accounts from its own machine: make an admin, give somebody a new password.

import type { Stores } from "../adapters/sql/stores.ts";
import type { PasswordHasher } from "../crypto/password.ts";
import { randomPassword } from "../crypto/random.ts";
import type { SecretBox } from "../crypto/secret-box.ts";
import { createAuthKeys } from "../features/auth/auth-keys.ts";
import { forgetGuesses, type NameSubjects } from "../features/auth/model.ts";
import { parseLocale } from "../features/mail/model.ts";
import { removeEverything } from "../features/mfa/reset-factors.ts";
import { DEFAULT_TENANT_SLUG } from "../features/tenants/model.ts";
import { type SystemRole, takenError, type User } from "../features/users/model.ts";
import { type Clock, isoTime } from "../kernel/clock.ts";
import { newId } from "../kernel/id.ts";
import { SYSTEM_ORIGIN } from "../kernel/origin.ts";
import { StartError } from "../kernel/start-error.ts";
import type { Persistence } from "../kernel/transaction.ts";
import { openDerivation } from "./derivation-root.ts";

export interface OperatorDeps {
	readonly db: Persistence<Stores>;
	readonly passwords: PasswordHasher;
	readonly clock: Clock;
	readonly secretBox: SecretBox;
}

/** The password in use; `passwordMade` when it was made here and so has to be shown, once. */
interface Chosen {
	readonly passwordPlain: string;
	readonly passwordMade: boolean;
}

/**
 * Makes an account that may do what the first admin may: everything in its tenant, and in the default tenant
 * everything of the platform, so that an installation whose admins are gone can be taken back.
 *
 * @param given `passwordPlain` absent: a random one is made.
 * @throws StartError for an unknown tenant; AppError `password.*` (policy), `username.taken`, `email.taken`.
 */
export async function createAdmin(
	{ db, passwords, clock }: OperatorDeps,
	given: {
		readonly tenantSlug: string;
		readonly username: string;
		/** Lower case. */
		readonly email: string;
		readonly passwordPlain?: string | undefined;
	},
): Promise<Chosen & { readonly user: User }> {
	const tenantId = await findTenant(db, given.tenantSlug);
	const chosen = await choosePassword(passwords, given.passwordPlain, given);
	const passwordHash = await passwords.hash(chosen.passwordPlain);
	const now = clock();
	const roles: SystemRole[] =
		given.tenantSlug === DEFAULT_TENANT_SLUG ? ["admin", "platform_admin"] : ["admin"];
	const user: User = {
		id: newId(now),
		tenantId,
		username: given.username,
		email: given.email,
		emailVerified: true,
		displayName: "",
		avatarUrl: "",
		status: "active",
		roles,
		mfaEnabled: false,
		lastLoginAtMs: null,
		createdAtMs: now,
		updatedAtMs: now,
	};
	await db.transaction(async ({ users, audit }) => {
		const taken = await users.insert({ ...user, passwordHash });
		if (taken !== undefined) throw takenError(taken);
		await audit.append({
			tenantId,
			actor: "system",
			action: "user.created",
			target: `user:${user.id}`,
			origin: SYSTEM_ORIGIN,
			details: { username: user.username, roles, status: user.status },
		});
	});
	return { ...chosen, user };
}

/**
 * Gives an account a new password, ends its sessions, and tells the owner by mail.
 *
 * @param given `login` is the username or e-mail; `passwordPlain` absent: a random one is made.
 * @throws StartError for an unknown tenant or account; AppError `password.*` (policy).
 */
export async function resetPassword(
	{ db, passwords, clock, secretBox }: OperatorDeps,
	given: {
		readonly tenantSlug: string;
		readonly login: string;
		readonly passwordPlain?: string | undefined;
	},
): Promise<Chosen & { readonly user: User; readonly sessionsEnded: number }> {
	const tenantId = await findTenant(db, given.tenantSlug);
	const user = await db.stores.users.findByLogin(tenantId, given.login);
	if (user === undefined) throw noSuchUser(given.login);
	const chosen = await choosePassword(passwords, given.passwordPlain, user);
	const passwordHash = await passwords.hash(chosen.passwordPlain);
	const keys = createAuthKeys(await openDerivation({ db, secretBox, clock }));
	const now = clock();
	const sessionsEnded = await db.transaction(async (stores) => {
		const missing = await stores.users.update(tenantId, user.id, { passwordHash }, now);
		if (missing !== undefined) throw noSuchUser(given.login);
		return writeReset(stores, keys, user, now);
	});
	return { ...chosen, user, sessionsEnded };
}

/**
 * Takes away every second factor and recovery code of an account, ends its sessions, and tells the owner by mail.
 *
 * @throws StartError for an unknown tenant or account.
 */
export async function resetSecondFactors(
	{ db, clock }: Pick<OperatorDeps, "db" | "clock">,
	given: { readonly tenantSlug: string; readonly login: string },
): Promise<User> {
	const tenantId = await findTenant(db, given.tenantSlug);
	return await db.transaction(async (stores) => {
		const user = await stores.users.findByLogin(tenantId, given.login);
		if (user === undefined) throw noSuchUser(given.login);
		await removeEverything(stores, { user, actor: "system", origin: SYSTEM_ORIGIN, nowMs: clock() });
		return user;
	});
}

async function writeReset(
	{ sessions, loginFailures, recoveryLinks, audit, mail }: Stores,
	keys: NameSubjects,
	user: User,
	nowMs: number,
): Promise<number> {
	const { id, tenantId, username } = user;
	const ended = await sessions.endAll(tenantId, id, nowMs);
	await recoveryLinks.endAll(tenantId, id, "password_reset");
	await forgetGuesses(loginFailures, keys, user);
	await audit.append({
		tenantId,
		actor: "system",
		action: "user.password_reset",
		target: `user:${id}`,
		origin: SYSTEM_ORIGIN,
		details: { sessions_revoked: ended },
	});
	await mail.put({
		tenantId,
		to: user.email,
		toName: user.displayName || username,
		locale: parseLocale(undefined),
		message: { kind: "password_changed", username, at: isoTime(nowMs) },
	});
	return ended;
}

async function findTenant(db: Persistence<Stores>, slug: string): Promise<string> {
	const tenant = await db.stores.tenants.findBySlug(slug);
	if (tenant !== undefined) return tenant.id;
	if (slug === DEFAULT_TENANT_SLUG)
		throw new StartError("there are no accounts yet; start the service once first");
	throw new StartError(`there is no tenant ${JSON.stringify(slug)}`);
}

async function choosePassword(
	passwords: PasswordHasher,
	given: string | undefined,
	owner: { readonly username: string; readonly email: string },
): Promise<Chosen> {
	const { username, email } = owner;
	const passwordPlain = await passwords.check(given ?? randomPassword(), { username, email });
	return { passwordPlain, passwordMade: given === undefined };
}

function noSuchUser(login: string): StartError {
	return new StartError(`there is no user ${JSON.stringify(login)}`);
}
