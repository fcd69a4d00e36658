// Before ways to sign in change: is it really the owner? The password tells, or a sign-in a moment ago.

import { normalizePassword, type PasswordHasher } from "../../crypto/password.ts";
import { type Clock, SECOND_MS } from "../../kernel/clock.ts";
import { AppError, invalidField } from "../../kernel/error.ts";
import type { Origin } from "../../kernel/origin.ts";
import type { Persistence } from "../../kernel/transaction.ts";
import type { AuditLog } from "../audit/model.ts";
import {
	ANY_ADDRESS,
	accountSubject,
	type LoginFailureStore,
	type PasswordAttemptCounter,
	type SessionStore,
	type SignedIn,
} from "../auth/model.ts";
import type { UserStore } from "../users/model.ts";
import { FRESH_SIGN_IN_SECONDS, type SecondFactorStore } from "./model.ts";

export interface ConfirmOwnerDeps {
	readonly db: Persistence<{
		readonly users: UserStore;
		readonly sessions: SessionStore;
		readonly loginFailures: LoginFailureStore;
		readonly audit: AuditLog;
	}>;
	readonly passwords: PasswordHasher;
	readonly attempts: PasswordAttemptCounter;
	readonly clock: Clock;
}

export interface OwnerContext {
	readonly signedIn: SignedIn;
	readonly origin: Origin;
}

/**
 * A wrong password is counted as at a password change. Without one the sign-in must be `FRESH_SIGN_IN_SECONDS` old at
 * most; where `passwordWanted`, only one that needed no password counts. `refusedAs` is the audit action of a wrong password.
 *
 * @throws AppError `password.wrong`, `login.too_many`, `service.overloaded`; `request.invalid` when a password is needed.
 */
export async function confirmOwner(
	deps: ConfirmOwnerDeps,
	passwordPlain: string | undefined,
	context: OwnerContext,
	{ passwordWanted = false, refusedAs = "user.second_factor_change_refused" } = {},
): Promise<void> {
	if (passwordPlain !== undefined) return await confirmPassword(deps, passwordPlain, context, refusedAs);
	const session = await deps.db.stores.sessions.findById(context.signedIn.sessionId);
	const age = session === undefined ? Infinity : deps.clock() - session.authenticatedAtMs;
	const isFresh = age <= FRESH_SIGN_IN_SECONDS * SECOND_MS;
	const needed = passwordWanted && session?.amr.includes("pwd") === true;
	if (needed) throw invalidField("password", "is required");
	if (!isFresh)
		throw invalidField(
			"password",
			`is required: the sign-in is older than ${FRESH_SIGN_IN_SECONDS / 60} minutes`,
		);
}

/**
 * Inside the transaction that adds a factor, first: whoever was signed out by a new password meanwhile adds none. Changes of
 * the user's factors come one after the other from here on.
 *
 * @throws AppError `token.invalid`.
 */
export async function checkStillSignedIn(
	stores: { readonly secondFactors: SecondFactorStore; readonly sessions: SessionStore },
	{ signedIn: { tenantId, user, sessionId } }: OwnerContext,
): Promise<void> {
	await stores.secondFactors.lock(tenantId, user.id);
	if (!(await stores.sessions.hold(tenantId, user.id, sessionId)))
		throw new AppError("token.invalid", "access token is invalid or expired");
}

async function confirmPassword(
	{ db, passwords, attempts }: ConfirmOwnerDeps,
	passwordPlain: string,
	{ signedIn: { tenantId, user }, origin }: OwnerContext,
	refusedAs: string,
): Promise<void> {
	const account = accountSubject(user.id);
	const plain = normalizePassword(passwordPlain);
	await attempts.run({ tenantId, name: account, account, ip: origin.ip }, async ({ locked }) => {
		const stored = locked ? undefined : await db.stores.users.findWithPassword(tenantId, user.id);
		const right =
			stored === undefined
				? await passwords.verifyAbsent(plain)
				: await passwords.verify(plain, stored.passwordHash);
		const isOwner = stored !== undefined && right;
		await db.transaction(async ({ loginFailures, audit }) => {
			if (isOwner) {
				await loginFailures.clear(tenantId, account, origin.ip);
				return await loginFailures.clear(tenantId, account, ANY_ADDRESS);
			}
			await audit.append({
				tenantId,
				actor: `user:${user.id}`,
				action: refusedAs,
				target: `user:${user.id}`,
				origin,
				details: { reason: locked ? "login.locked" : "password.wrong" },
			});
		});
		if (!isOwner) throw invalidField("password", "is wrong", "password.wrong");
	});
}
