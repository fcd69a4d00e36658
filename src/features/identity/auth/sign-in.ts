// Signs a user in with a password.

import { type AuditDetails, type AuditLog, userTarget } from "../../../domain/audit.ts";
import { anonymousCaller, type Caller } from "../../../domain/caller.ts";
import { signInEnforced } from "../../../domain/email-domain.ts";
import { isBoundToDomain, isEnforcedFor } from "../../../domain/enforced-sign-in.ts";
import type { SignInOutcome } from "../../../domain/sign-in.ts";
import {
	type Attempt,
	type AttemptCount,
	accountSubject,
	clearFailures,
	FAILURES_BEFORE_LOCK,
} from "../../../domain/sign-in-attempt.ts";
import type { NewUser } from "../../../domain/user.ts";
import { parseEmailAddress } from "../../../kernel/email-address.ts";
import { AppError } from "../../../kernel/error.ts";
import type { Origin } from "../../../kernel/origin.ts";
import {
	completeSignIn,
	countSignIn,
	recordFailedSignIn,
	type SignInNeeds,
	type SignInStores,
} from "../steps/complete-sign-in.ts";

/** A concurrent sign-in may rehash the same password at a new cost during verification: then verify once more. */
const VERIFICATIONS = 2;

type Needed = SignInNeeds<never, "passwords" | "attempts">;

interface Credentials {
	/** Username or email address, in any case. */
	readonly name: string;
	readonly passwordPlain: string;
	/** The application to sign in to. */
	readonly appId: string | null;
}

/** `user` is undefined for an unknown name, and for one who may not use a password. */
interface NamedAttempt {
	readonly attempt: Attempt;
	readonly user: NewUser | undefined;
	/** Whether the name is an address of a domain whose sign-in is enforced. */
	readonly isEnforced: boolean;
	readonly appId: string | null;
	readonly origin: Origin;
}

/**
 * An unknown name, a wrong password, and a locked account get the same response after one hash. Only the correct
 * password reveals the state of the account and access to the application. Of a domain whose sign-in is enforced, every
 * address gets the same response after the same work, but an administrator with the correct password.
 *
 * @throws AppError `credentials.invalid`, `sign_in.enforced`, `account.disabled`, `application.access_denied` (also for an unknown
 * application), `login.too_many`, `service.overloaded`.
 */
export async function signIn(
	needs: Needed,
	{ name: login, passwordPlain, appId }: Credentials,
	{ tenantId, origin }: Caller,
): Promise<SignInOutcome> {
	const user = await needs.db.stores.users.findByLogin(tenantId, login);
	const isEnforced = await isEnforcedFor(needs.db.stores, tenantId, parseEmailAddress(login) ?? "");
	const name = needs.keys.nameSubject(tenantId, login);
	const account = user === undefined ? name : accountSubject(user.id);
	const attempt = { tenantId, name, account, ip: origin.ip };
	const isBound = isEnforced && user !== undefined && isBoundToDomain(user);
	const named = { attempt, user: isBound ? undefined : user, isEnforced, appId, origin };
	return await countSignIn(needs.statistics, tenantId, () =>
		needs.attempts.run(
			attempt,
			(count) => decide(needs, named, passwordPlain, count),
			(audit, why) => recordFailed(audit, named, why),
		),
	);
}

async function decide(
	needs: Needed,
	named: NamedAttempt,
	passwordPlain: string,
	count: AttemptCount,
): Promise<SignInOutcome> {
	const outcome = await verifyAndEnter(needs, named, passwordPlain, count);
	if (outcome !== undefined) return outcome;
	await needs.db.transaction(({ audit }) => recordWrongPassword(audit, named, count));
	if (named.isEnforced) throw signInEnforced();
	// One message for every reason, so that it does not reveal whether a name exists.
	const reason = count.locked ? ({ reason: "login.locked" } as const) : {};
	throw new AppError("credentials.invalid", "username or password is wrong", reason);
}

/** Undefined for a wrong password or an unknown name. A locked account refuses every password, after the same work. */
async function verifyAndEnter(
	needs: Needed,
	named: NamedAttempt,
	passwordPlain: string,
	{ locked }: AttemptCount,
): Promise<SignInOutcome | undefined> {
	const { passwords, db } = needs;
	const {
		user,
		origin: { ip },
	} = named;
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

/** Undefined if the account was changed in the meantime. */
async function enter(
	needs: Needed,
	{ attempt, appId, origin }: NamedAttempt,
	{ passwordHash: fromHash, ...user }: NewUser,
	passwordPlain: string,
): Promise<SignInOutcome | undefined> {
	const { passwords } = needs;
	const mustRehash = passwords.needsRehash(fromHash, passwordPlain);
	const toHash = mustRehash ? await passwords.hash(passwordPlain, origin.ip) : fromHash;
	// Clears the failures even if the sign-in is refused: the password was correct, so it was no guess.
	const refused = ({ loginFailures }: SignInStores) => clearFailures(loginFailures, attempt);
	// Verifying takes time: a password changed or an account disabled in the meantime must win.
	const confirm = async (stores: SignInStores): Promise<boolean> => {
		if (!(await stores.users.confirmPassword(user.tenantId, user.id, fromHash, toHash))) return false;
		await refused(stores);
		return true;
	};
	return await completeSignIn(needs, { user, appId, amr: ["pwd"], confirm, refused }, origin);
}

/** Records a wrong password, and the lock if this password caused it. */
async function recordWrongPassword(
	audit: AuditLog,
	named: NamedAttempt,
	{ failures, locked }: AttemptCount,
): Promise<void> {
	await recordFailed(audit, named, { reason: locked ? "login.locked" : "credentials.invalid" });
	const { attempt, user, appId, origin } = named;
	if (failures !== FAILURES_BEFORE_LOCK || user === undefined) return;
	const visitor = anonymousCaller(attempt.tenantId, origin);
	await audit.append(visitor, "user.password_locked", userTarget(user), { failures, app_id: appId });
}

/** Records a digest of the name, because users sometimes type their password as the name. */
function recordFailed(
	audit: AuditLog,
	{ attempt: { tenantId, name }, user, appId, origin }: NamedAttempt,
	why: AuditDetails,
): Promise<void> {
	return recordFailedSignIn(audit, tenantId, user, { name, app_id: appId, ...why }, origin);
}
