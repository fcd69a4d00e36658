// Signs a user in with a password.

import type { PasswordHasher } from "../../crypto/password.ts";
import type { Origin } from "../../kernel/origin.ts";
import type { Persistence } from "../../kernel/transaction.ts";
import type { AuditLog } from "../audit/model.ts";
import type { NewUser, UserStore } from "../users/model.ts";
import type { AuthKeys } from "./auth-keys.ts";
import { accountSubject, type CompleteSignIn, type LoginFailureStore, type SignInOutcome } from "./model.ts";
import type { AttemptCount, PasswordAttempts } from "./password-attempts.ts";
import { clearFailures, type MadeAttempt, recordFailure, wrongCredentials } from "./sign-in-refusal.ts";

/** The hash may be replaced while a right password is looked at, by a parallel sign-in at a new cost: then look again. */
const LOOKS = 2;

interface SignInStores {
	readonly users: UserStore;
	readonly loginFailures: LoginFailureStore;
	readonly audit: AuditLog;
}

export interface SignInDeps {
	readonly db: Persistence<SignInStores>;
	readonly passwords: PasswordHasher;
	readonly keys: AuthKeys;
	readonly attempts: PasswordAttempts;
	readonly complete: CompleteSignIn<SignInStores>;
}

export interface Credentials {
	readonly tenantId: string;
	/** Username or e-mail, in any case. */
	readonly name: string;
	readonly passwordPlain: string;
	/** The application to sign in to. */
	readonly appId: string | null;
}

/**
 * An unknown name, a wrong password and a locked account get one answer, after one hash. The state of the account and
 * access to the application are told only after a right password.
 *
 * @throws AppError `credentials.invalid`, `account.disabled`, `application.access_denied` (also when there is no such
 * application), `login.too_many`, `service.overloaded`.
 */
export async function signIn(deps: SignInDeps, given: Credentials, origin: Origin): Promise<SignInOutcome> {
	const { tenantId, appId, passwordPlain } = given;
	const user = await deps.db.stores.users.findByLogin(tenantId, given.name);
	const name = deps.keys.nameSubject(tenantId, given.name);
	const account = user === undefined ? name : accountSubject(user.id);
	const attempt = { tenantId, name, account, ip: origin.ip };
	return await deps.attempts.run(attempt, async (count) => {
		const made = { attempt, user, appId, origin };
		const outcome = await prove(deps, made, user, passwordPlain, count);
		if (outcome !== undefined) return outcome;
		await recordFailure(deps.db, made, count);
		throw wrongCredentials();
	});
}

/** Undefined when the password is wrong, or nobody is called so. */
async function prove(
	deps: SignInDeps,
	made: MadeAttempt,
	user: NewUser | undefined,
	passwordPlain: string,
	count: AttemptCount,
): Promise<SignInOutcome | undefined> {
	if (user === undefined) return void (await deps.passwords.verifyAbsent(passwordPlain));
	let current: NewUser | undefined = user;
	for (let look = 0; current !== undefined && look < LOOKS; look++) {
		if (!(await isRight(deps, passwordPlain, current, count))) return undefined;
		const outcome = await enter(deps, made, current, passwordPlain);
		if (outcome !== undefined) return outcome;
		current = await deps.db.stores.users.findWithPassword(user.tenantId, user.id);
	}
	return undefined;
}

/** A locked account refuses any password, after the same work. */
function isRight(
	{ passwords }: SignInDeps,
	passwordPlain: string,
	user: NewUser,
	count: AttemptCount,
): Promise<boolean> {
	return count.locked
		? passwords.verifyAbsent(passwordPlain)
		: passwords.verify(passwordPlain, user.passwordHash);
}

/** Undefined when the account was changed meanwhile. */
async function enter(
	{ passwords, complete }: SignInDeps,
	{ attempt, appId, origin }: MadeAttempt,
	{ passwordHash: fromHash, ...user }: NewUser,
	passwordPlain: string,
): Promise<SignInOutcome | undefined> {
	const toHash = passwords.needsRehash(fromHash) ? await passwords.hash(passwordPlain) : fromHash;
	const factor = {
		user,
		appId,
		amr: ["pwd"],
		// The hash took a while: a password changed or an account disabled meanwhile must win.
		async confirm({ users, loginFailures }: SignInStores) {
			if (!(await users.confirmPassword(user.tenantId, user.id, fromHash, toHash))) return false;
			await clearFailures(loginFailures, attempt);
			return true;
		},
		// Known, though it opens nothing: it was no guess.
		refused: ({ loginFailures }: SignInStores) => clearFailures(loginFailures, attempt),
	};
	return await complete(factor, origin);
}
