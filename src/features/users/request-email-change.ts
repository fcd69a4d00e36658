// Mails a code to the address an account is to move to.

import { normalizePassword } from "../../crypto/password.ts";
import { randomDigits, randomToken } from "../../crypto/random.ts";
import { SECOND_MS } from "../../kernel/clock.ts";
import { invalidField } from "../../kernel/error.ts";
import type { Origin } from "../../kernel/origin.ts";
import type { Persistence } from "../../kernel/transaction.ts";
import type { AuditLog } from "../audit/model.ts";
import {
	CODE_DIGITS,
	CODE_SECONDS,
	type EmailCodeKey,
	type EmailCodeStore,
	type LoginFailureStore,
	type PasswordAttemptCounter,
	type SendRefusal,
	type SessionStore,
	type SignedIn,
	tooManyCodes,
} from "../auth/model.ts";
import {
	type MailAllowanceStore,
	type MailLimit,
	type MailOutbox,
	parseLocale,
	takeMailAllowance,
} from "../mail/model.ts";
import { FRESH_SIGN_IN_SECONDS } from "../mfa/model.ts";
import { NO_PASSWORD, type UserStore } from "./model.ts";
import { checkCurrentPassword, type ProofDeps } from "./prove-password.ts";

interface RequestStores {
	readonly users: UserStore;
	readonly sessions: SessionStore;
	readonly loginFailures: LoginFailureStore;
	readonly emailCodes: EmailCodeStore;
	readonly mail: MailOutbox;
	readonly mailAllowances: MailAllowanceStore;
	readonly audit: AuditLog;
}

/** What is stored of a mailed code. */
export interface CodeDigests {
	codeDigest(key: EmailCodeKey, code: string): string;
}

export interface RequestEmailChangeDeps extends MailLimit, ProofDeps {
	readonly db: Persistence<RequestStores>;
	readonly attempts: PasswordAttemptCounter;
	readonly keys: CodeDigests;
	readonly wakeMail: () => void;
}

/** A code is bound to who asked for it, too: nobody can use up, or try, the code of somebody else. */
export function emailChangeKey({ tenantId, user }: SignedIn, address: string): EmailCodeKey {
	return { tenantId, purpose: `email_change:${user.id}`, address };
}

/**
 * An address that has an account is treated alike, limits included: its owner is mailed that the account exists, and the
 * code that is stored is one nobody knows. Whoever has no password and no proved address (they came by another provider)
 * proves themselves by a sign-in a moment ago.
 *
 * @throws AppError `password.wrong`, `login.too_many`, `code.too_many`, `mail.too_many`, `service.overloaded`,
 * `request.invalid` when it is the address of the account already.
 */
export async function requestEmailChange(
	deps: RequestEmailChangeDeps,
	given: { readonly email: string; readonly currentPasswordPlain: string | undefined },
	{ signedIn, origin }: { readonly signedIn: SignedIn; readonly origin: Origin },
): Promise<void> {
	if (given.email === signedIn.user.email)
		throw invalidField("email", "is the address of the account already");
	await checkOwner(deps, given.currentPasswordPlain, { signedIn, origin });
	const now = deps.clock();
	const refusal = await deps.db.transaction(async (stores) => {
		await takeMailAllowance(stores.mailAllowances, deps, signedIn.tenantId, origin.ip);
		return sendCode(stores, deps.keys, { email: given.email, nowMs: now }, { signedIn, origin });
	});
	if (refusal !== undefined) throw tooManyCodes(refusal, now);
	deps.wakeMail();
}

async function checkOwner(
	deps: RequestEmailChangeDeps,
	currentPlain: string | undefined,
	{ signedIn, origin }: { readonly signedIn: SignedIn; readonly origin: Origin },
): Promise<void> {
	const refusedAs = "user.email_change_refused";
	if (currentPlain !== undefined)
		return await checkCurrentPassword(deps, normalizePassword(currentPlain), { signedIn, origin, refusedAs });
	const { users, sessions } = deps.db.stores;
	const stored = await users.findWithPassword(signedIn.tenantId, signedIn.user.id);
	// Whose address is proved sets a password by mail: a way in that a thief has left must not move the account.
	if (stored === undefined || stored.passwordHash !== NO_PASSWORD || stored.emailVerified)
		throw invalidField("current_password", "is required");
	const session = await sessions.findById(signedIn.sessionId);
	const age = session === undefined ? Number.POSITIVE_INFINITY : deps.clock() - session.authenticatedAtMs;
	if (age > FRESH_SIGN_IN_SECONDS * SECOND_MS)
		throw invalidField(
			"current_password",
			`is required: the sign-in is older than ${FRESH_SIGN_IN_SECONDS / 60} minutes`,
		);
}

async function sendCode(
	{ users, emailCodes, mail, audit }: RequestStores,
	keys: CodeDigests,
	{ email, nowMs }: { readonly email: string; readonly nowMs: number },
	{ signedIn, origin }: { readonly signedIn: SignedIn; readonly origin: Origin },
): Promise<SendRefusal | undefined> {
	const { tenantId, user } = signedIn;
	const owner = await users.findByLogin(tenantId, email);
	const expiresAtMs = nowMs + CODE_SECONDS * SECOND_MS;
	// How often the address is mailed is counted over everybody who asks for it, the code is the asker's own.
	const counter = { tenantId, purpose: "email_change", address: email } as const;
	const refused = await emailCodes.put({ ...counter, codeDigest: "", expiresAtMs }, nowMs);
	if (refused !== undefined) return refused;
	const code = randomDigits(CODE_DIGITS);
	const key = emailChangeKey(signedIn, email);
	const codeDigest = keys.codeDigest(key, owner === undefined ? code : randomToken());
	await emailCodes.put({ ...key, codeDigest, expiresAtMs }, nowMs);
	await mail.put({
		tenantId,
		to: email,
		locale: parseLocale(origin.acceptLanguage),
		message:
			owner === undefined
				? { kind: "email_change_code", username: user.username, code, expiresInMinutes: CODE_SECONDS / 60 }
				: { kind: "email_change_taken", username: owner.username },
	});
	await audit.append({
		tenantId,
		actor: `user:${user.id}`,
		action: "user.email_change_requested",
		target: `user:${user.id}`,
		origin,
	});
	return undefined;
}
