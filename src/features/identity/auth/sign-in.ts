// Signs a user in with a password.

import type { Caller } from "../../../domain/caller.ts";
import type { SignInOutcome } from "../../../domain/sign-in.ts";
import { type AttemptCount, accountSubject } from "../../../domain/sign-in-attempt.ts";
import type { NewUser } from "../../../domain/user.ts";
import { limitAddress } from "../../../kernel/origin.ts";
import type { Needs } from "../../platform.ts";
import { completeSignIn, type SignInPart, type SignInStore } from "../steps/complete-sign-in.ts";
import {
	clearFailures,
	failureEntry,
	type NamedAttempt,
	recordFailure,
	wrongCredentials,
} from "./sign-in-refusal.ts";

/** A parallel sign-in may store the same password at a new cost while this one verifies it: verify once more. */
const VERIFICATIONS = 2;

type Needed = Needs<SignInStore, SignInPart | "passwords" | "attempts">;

export interface Credentials {
	/** Username or e-mail, in any case. */
	readonly name: string;
	readonly passwordPlain: string;
	/** The application to sign in to. */
	readonly appId: string | null;
}

/**
 * An unknown name, a wrong password and a locked account get the same answer after one hash. Only a right password reveals
 * the state of the account and access to the application.
 *
 * @throws AppError `credentials.invalid`, `account.disabled`, `application.access_denied` (also for an unknown
 * application), `login.too_many`, `service.overloaded`.
 */
export async function signIn(
	needs: Needed,
	{ name: login, passwordPlain, appId }: Credentials,
	{ tenantId, origin }: Caller,
): Promise<SignInOutcome> {
	const user = await needs.db.stores.users.findByLogin(tenantId, login);
	const name = needs.keys.nameSubject(tenantId, login);
	const account = user === undefined ? name : accountSubject(user.id);
	const attempt = { tenantId, name, account, ip: origin.ip, address: limitAddress(origin) };
	const named = { attempt, user, appId, origin };
	const verify = async (count: AttemptCount): Promise<SignInOutcome> => {
		const outcome = await prove(needs, named, user, passwordPlain, count);
		if (outcome !== undefined) return outcome;
		await recordFailure(needs.db, named, count);
		throw wrongCredentials();
	};
	return await needs.attempts.run(attempt, verify, failureEntry(named, { name }));
}

/** Undefined for a wrong password or an unknown name. A locked account refuses every password, after the same work. */
async function prove(
	needs: Needed,
	named: NamedAttempt,
	user: NewUser | undefined,
	passwordPlain: string,
	{ locked }: AttemptCount,
): Promise<SignInOutcome | undefined> {
	const { passwords, db } = needs;
	const ip = limitAddress(named.origin);
	if (user === undefined || locked) return void (await passwords.verifyAbsent(passwordPlain, ip));
	let current: NewUser | undefined = user;
	for (let count = 0; current !== undefined && count < VERIFICATIONS; count++) {
		if (!(await passwords.verify(passwordPlain, current.passwordHash, ip))) return undefined;
		const outcome = await enter(needs, named, current, passwordPlain);
		if (outcome !== undefined) return outcome;
		current = await db.stores.users.findWithPassword(user.tenantId, user.id);
	}
	return undefined;
}

/** Undefined when the account was changed meanwhile. */
async function enter(
	needs: Needed,
	{ attempt, appId, origin }: NamedAttempt,
	{ passwordHash: fromHash, ...user }: NewUser,
	passwordPlain: string,
): Promise<SignInOutcome | undefined> {
	const { passwords } = needs;
	const toHash = passwords.needsRehash(fromHash)
		? await passwords.hash(passwordPlain, limitAddress(origin))
		: fromHash;
	return await completeSignIn(
		needs,
		{
			user,
			appId,
			amr: ["pwd"],
			// Verifying takes time: a password changed or an account disabled meanwhile must win.
			async confirm({ users, loginFailures }) {
				if (!(await users.confirmPassword(user.tenantId, user.id, fromHash, toHash))) return false;
				await clearFailures(loginFailures, attempt);
				return true;
			},
			// The password was right, so it was no guess.
			refused: ({ loginFailures }) => clearFailures(loginFailures, attempt),
		},
		origin,
	);
}
