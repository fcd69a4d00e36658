// Whoever is signed in proves their current password, before something that must not be done with a stolen token.

import type { PasswordHasher } from "../../crypto/password.ts";
import { type AppError, invalidField } from "../../kernel/error.ts";
import type { Origin } from "../../kernel/origin.ts";
import type { Persistence } from "../../kernel/transaction.ts";
import type { AuditLog } from "../audit/model.ts";
import {
	ANY_ADDRESS,
	accountSubject,
	type LoginFailureStore,
	type PasswordAttemptCounter,
	type SignedIn,
} from "../auth/model.ts";
import type { UserStore } from "./model.ts";

export interface ProofDeps {
	readonly db: Persistence<{ users: UserStore; audit: AuditLog }>;
	readonly passwords: PasswordHasher;
}

export interface ProofContext {
	readonly signedIn: SignedIn;
	readonly origin: Origin;
	/** The audit action of a wrong password. */
	readonly refusedAs: string;
	readonly locked: boolean;
}

/**
 * The hash the current password was proved against. A locked account is proved by a reset only, as at sign-in. To be
 * called within `PasswordAttemptCounter.run`.
 *
 * @throws AppError `password.wrong`, after it is on record.
 */
export async function proveCurrentPassword(
	{ db, passwords }: ProofDeps,
	currentPlain: string,
	{ signedIn: { tenantId, user }, origin, refusedAs, locked }: ProofContext,
): Promise<string> {
	const stored = locked ? undefined : await db.stores.users.findWithPassword(tenantId, user.id);
	const right =
		stored === undefined
			? await passwords.verifyAbsent(currentPlain)
			: await passwords.verify(currentPlain, stored.passwordHash);
	if (stored !== undefined && right) return stored.passwordHash;
	await db.transaction(({ audit }) =>
		audit.append({
			tenantId,
			actor: `user:${user.id}`,
			action: refusedAs,
			target: `user:${user.id}`,
			origin,
			details: { reason: locked ? "login.locked" : "password.wrong" },
		}),
	);
	throw wrongPassword();
}

export interface CheckDeps extends ProofDeps {
	readonly db: Persistence<{ users: UserStore; loginFailures: LoginFailureStore; audit: AuditLog }>;
	readonly attempts: PasswordAttemptCounter;
}

/**
 * Counts the attempt, proves the password and forgets the count: for what may still be refused for other reasons.
 *
 * @throws AppError `password.wrong`, `login.too_many`, `service.overloaded`.
 */
export async function checkCurrentPassword(
	deps: CheckDeps,
	currentPlain: string,
	context: Omit<ProofContext, "locked">,
): Promise<void> {
	const { tenantId, user } = context.signedIn;
	const account = accountSubject(user.id);
	const attempt = { tenantId, name: account, account, ip: context.origin.ip };
	await deps.attempts.run(attempt, async ({ locked }) => {
		await proveCurrentPassword(deps, currentPlain, { ...context, locked });
		await deps.db.transaction(async ({ loginFailures }) => {
			await loginFailures.clear(tenantId, account, attempt.ip);
			await loginFailures.clear(tenantId, account, ANY_ADDRESS);
		});
	});
}

export function wrongPassword(): AppError {
	return invalidField("current_password", "is wrong", "password.wrong");
}
