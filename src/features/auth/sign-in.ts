// Signs a user in with a password.

import type { AccessTokens } from "../../crypto/access-token.ts";
import type { PasswordHasher } from "../../crypto/password.ts";
import type { Clock } from "../../kernel/clock.ts";
import type { Origin } from "../../kernel/origin.ts";
import type { Persistence } from "../../kernel/transaction.ts";
import type { AuditLog } from "../audit/model.ts";
import { type AccessFactStore, decideAccess } from "../authorization/model.ts";
import type { NewUser, UserStore } from "../users/model.ts";
import type { AuthKeys } from "./auth-keys.ts";
import { accountSubject, type LoginFailureStore, type SessionStore } from "./model.ts";
import { type IssuedTokens, issueTokens, type OpenedSession, openSession } from "./open-session.ts";
import type { AttemptCount, PasswordAttempts } from "./password-attempts.ts";
import {
	clearFailures,
	type MadeAttempt,
	type Refusal,
	recordFailure,
	recordRefusal,
	refusalError,
	wrongCredentials,
} from "./sign-in-refusal.ts";

/** The hash may be replaced while a right password is looked at, by a parallel sign-in at a new cost: then look again. */
const LOOKS = 2;

interface SignInStores {
	readonly users: UserStore;
	readonly sessions: SessionStore;
	readonly loginFailures: LoginFailureStore;
	readonly accessFacts: AccessFactStore;
	readonly audit: AuditLog;
}

export interface SignInDeps {
	readonly db: Persistence<SignInStores>;
	readonly clock: Clock;
	readonly passwords: PasswordHasher;
	readonly accessTokens: AccessTokens;
	readonly keys: AuthKeys;
	readonly attempts: PasswordAttempts;
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
export async function signIn(deps: SignInDeps, given: Credentials, origin: Origin): Promise<IssuedTokens> {
	const { tenantId, appId, passwordPlain } = given;
	const user = await deps.db.stores.users.findByLogin(tenantId, given.name);
	const name = deps.keys.nameSubject(tenantId, given.name);
	const account = user === undefined ? name : accountSubject(user.id);
	const attempt = { tenantId, name, account, ip: origin.ip };
	return await deps.attempts.run(attempt, async (count) => {
		const made = { attempt, user, appId, origin };
		const tokens = await prove(deps, made, user, passwordPlain, count);
		if (tokens !== undefined) return tokens;
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
): Promise<IssuedTokens | undefined> {
	if (user === undefined) return void (await deps.passwords.verifyAbsent(passwordPlain));
	let current: NewUser | undefined = user;
	for (let look = 0; current !== undefined && look < LOOKS; look++) {
		if (!(await isRight(deps, passwordPlain, current, count))) return undefined;
		const tokens = await enter(deps, { ...made, user: current }, passwordPlain);
		if (tokens !== undefined) return tokens;
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

type ProvedAttempt = MadeAttempt & { readonly user: NewUser };

/** Undefined when the account was changed meanwhile. */
async function enter(
	deps: SignInDeps,
	proved: ProvedAttempt,
	passwordPlain: string,
): Promise<IssuedTokens | undefined> {
	const { db, passwords, clock, accessTokens } = deps;
	const { passwordHash: fromHash, ...user } = proved.user;
	const refusal = await findRefusal(deps, proved);
	if (refusal !== undefined) {
		await recordRefusal(db, proved, refusal);
		throw refusalError(refusal);
	}
	const toHash = passwords.needsRehash(fromHash) ? await passwords.hash(passwordPlain) : fromHash;
	const now = clock();
	const opened = await db.transaction((stores) => open(stores, proved, toHash, now));
	if (opened === undefined) return undefined;
	return await issueTokens(accessTokens, opened, { ...user, lastLoginAtMs: now }, now);
}

async function findRefusal({ db }: SignInDeps, { user, appId }: ProvedAttempt): Promise<Refusal | undefined> {
	if (user.status !== "active") return "account.disabled";
	if (appId === null) return undefined;
	const facts = await db.stores.accessFacts.load(user.tenantId, user.id, appId);
	return decideAccess(facts).allowed ? undefined : "application.access_denied";
}

async function open(
	{ users, sessions, loginFailures, audit }: SignInStores,
	{ user, attempt, appId, origin }: ProvedAttempt,
	toHash: string,
	nowMs: number,
): Promise<OpenedSession | undefined> {
	const amr = ["pwd"];
	// The hash took a while: a password changed or an account disabled meanwhile must win.
	if (!(await users.noteSignIn(user.tenantId, user.id, user.passwordHash, toHash, nowMs))) return undefined;
	await clearFailures(loginFailures, attempt);
	const opened = await openSession(sessions, { user, appId, amr }, origin, nowMs);
	await audit.append({
		tenantId: user.tenantId,
		actor: `user:${user.id}`,
		action: "user.signed_in",
		target: `user:${user.id}`,
		origin,
		details: { session_id: opened.session.id, app_id: appId, amr },
	});
	return opened;
}
