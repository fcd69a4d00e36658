// Signs a user in with a password.

import type { AccessTokens } from "../../crypto/access-token.ts";
import type { PasswordHasher } from "../../crypto/password.ts";
import type { Clock } from "../../kernel/clock.ts";
import { AppError } from "../../kernel/error.ts";
import type { Origin } from "../../kernel/origin.ts";
import type { Persistence } from "../../kernel/transaction.ts";
import type { AuditLog } from "../audit/model.ts";
import { type AccessFactStore, decideAccess } from "../authorization/model.ts";
import type { NewUser, UserStore } from "../users/model.ts";
import type { AuthKeys } from "./auth-keys.ts";
import {
	ANY_ADDRESS,
	accountSubject,
	FAILURES_BEFORE_LOCK,
	type LoginFailureStore,
	type SessionStore,
} from "./model.ts";
import { type IssuedTokens, issueTokens, type OpenedSession, openSession } from "./open-session.ts";
import type { Attempt, AttemptCount, PasswordAttempts } from "./password-attempts.ts";

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

/** One attempt on its way: what was given, whom it names, and where it is counted. */
interface Claim {
	readonly given: Credentials;
	/** With the password hash; undefined when nobody is called so. */
	readonly user: NewUser | undefined;
	readonly attempt: Attempt;
	readonly origin: Origin;
}

type Refusal = "account.disabled" | "application.access_denied";

/**
 * An unknown name, a wrong password and a locked account get one answer, after one hash. The state of the account and
 * access to the application are told only after a right password.
 *
 * @throws AppError `credentials.invalid`, `account.disabled`, `application.access_denied` (also when there is no such
 * application), `login.too_many`, `service.overloaded`.
 */
export async function signIn(deps: SignInDeps, given: Credentials, origin: Origin): Promise<IssuedTokens> {
	const { db, keys, attempts } = deps;
	const user = await db.stores.users.findByLogin(given.tenantId, given.name);
	const name = keys.nameSubject(given.tenantId, given.name);
	const account = user === undefined ? name : accountSubject(user.id);
	const attempt: Attempt = { tenantId: given.tenantId, name, account, ip: origin.ip };
	const claim: Claim = { given, user, attempt, origin };
	return await attempts.run(attempt, (count) => prove(deps, claim, count));
}

async function prove(deps: SignInDeps, claim: Claim, count: AttemptCount): Promise<IssuedTokens> {
	const { given, user } = claim;
	const { passwordPlain } = given;
	const { passwords } = deps;
	const right =
		user === undefined || count.locked
			? await passwords.verifyAbsent(passwordPlain)
			: await passwords.verify(passwordPlain, user.passwordHash);
	if (user === undefined || !right) {
		await recordFailure(deps, claim, count);
		throw wrongCredentials();
	}
	const refusal = await findRefusal(deps, user, given.appId);
	if (refusal !== undefined) throw await refuse(deps, claim, refusal);
	const toHash = passwords.needsRehash(user.passwordHash)
		? await passwords.hash(passwordPlain)
		: user.passwordHash;
	const now = deps.clock();
	const opened = await deps.db.transaction((stores) => open(stores, claim, user, toHash, now));
	return await issueTokens(deps.accessTokens, opened, { ...withoutHash(user), lastLoginAtMs: now }, now);
}

async function findRefusal(
	{ db }: SignInDeps,
	user: NewUser,
	appId: string | null,
): Promise<Refusal | undefined> {
	if (user.status !== "active") return "account.disabled";
	if (appId === null) return undefined;
	const facts = await db.stores.accessFacts.load(user.tenantId, user.id, appId);
	return decideAccess(facts).allowed ? undefined : "application.access_denied";
}

async function open(
	{ users, sessions, loginFailures, audit }: SignInStores,
	{ given, attempt, origin }: Claim,
	user: NewUser,
	toHash: string,
	nowMs: number,
): Promise<OpenedSession> {
	// The hash took a while: a password changed or an account disabled meanwhile must win.
	const noted = await users.noteSignIn(user.tenantId, user.id, user.passwordHash, toHash, nowMs);
	if (!noted) throw wrongCredentials();
	await clearFailures(loginFailures, attempt);
	const opened = await openSession(sessions, { user, appId: given.appId, amr: ["pwd"] }, origin, nowMs);
	await audit.append({
		tenantId: user.tenantId,
		actor: `user:${user.id}`,
		action: "user.signed_in",
		target: `user:${user.id}`,
		origin,
		details: { session_id: opened.session.id, app_id: given.appId, amr: ["pwd"] },
	});
	return opened;
}

/** The password was right, so nothing counts as a guess; what stands in the way may be told. */
async function refuse(
	{ db }: SignInDeps,
	{ given, user, attempt, origin }: Claim,
	code: Refusal,
): Promise<AppError> {
	await db.transaction(async ({ loginFailures, audit }) => {
		await clearFailures(loginFailures, attempt);
		await audit.append({
			tenantId: given.tenantId,
			actor: "anonymous",
			action: "user.sign_in_failed",
			target: user === undefined ? "" : `user:${user.id}`,
			origin,
			details: { reason: code, app_id: given.appId },
		});
	});
	return code === "account.disabled"
		? new AppError(code, "this account is disabled")
		: new AppError(code, "you have no access to this application");
}

/** What was typed as a name is never stored as it is: it may be a password. */
async function recordFailure(
	{ db }: SignInDeps,
	{ given, user, attempt, origin }: Claim,
	count: AttemptCount,
) {
	const entry = {
		tenantId: given.tenantId,
		actor: "anonymous",
		target: user === undefined ? "" : `user:${user.id}`,
		origin,
	} as const;
	await db.transaction(async ({ audit }) => {
		await audit.append({
			...entry,
			action: "user.sign_in_failed",
			details: { reason: count.locked ? "login.locked" : "credentials.invalid", name: attempt.name },
		});
		if (count.failures === FAILURES_BEFORE_LOCK && user !== undefined)
			await audit.append({ ...entry, action: "user.password_locked", details: { failures: count.failures } });
	});
}

async function clearFailures(loginFailures: LoginFailureStore, attempt: Attempt): Promise<void> {
	await loginFailures.clear(attempt.tenantId, attempt.name, attempt.ip);
	await loginFailures.clear(attempt.tenantId, attempt.account, ANY_ADDRESS);
}

function withoutHash({ passwordHash: _hash, ...user }: NewUser) {
	return user;
}

/** One message for every reason: whether a name exists is nobody's business. */
function wrongCredentials(): AppError {
	return new AppError("credentials.invalid", "username or password is wrong");
}
