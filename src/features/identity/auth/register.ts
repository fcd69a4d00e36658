// Registration: mails a code to an email address, and creates an account for the user who enters it.

import { userTarget } from "../../../domain/audit.ts";
import { type Caller, userCaller } from "../../../domain/caller.ts";
import { checkNotEnforced } from "../../../domain/enforced-sign-in.ts";
import { localeOfRequest } from "../../../domain/locale.ts";
import { CODE_SECONDS } from "../../../domain/mailed-code.ts";
import { newUser } from "../../../domain/new-user.ts";
import { type User, writeError } from "../../../domain/user.ts";
import type { Needs } from "../../platform.ts";
import { type CodeMail, type CodeNeeds, sendCode, tryCode, wrongCode } from "../steps/mailed-code.ts";

function registrationKey({ tenantId }: Caller, address: string) {
	return { tenantId, purpose: "registration", address } as const;
}

/** @throws AppError `sign_in.enforced`, `code.too_many`, `mail.too_many`. */
export async function sendRegistrationCode(
	needs: CodeNeeds & Needs<"domains">,
	address: string,
	caller: Caller,
): Promise<void> {
	await checkNotEnforced(needs.db.stores, caller.tenantId, address);
	const mail: CodeMail = {
		key: registrationKey(caller, address),
		purpose: "registration",
		action: "registration.code_requested",
		withCode: (code) => ({ kind: "registration_code", code, expiresInMinutes: CODE_SECONDS / 60 }),
		toOwner: ({ username }) => ({ kind: "account_exists", username }),
	};
	await sendCode(needs, mail, caller);
}

/**
 * Checks whether a sign-up page can continue with the registration. A correct code stays valid; a wrong one counts
 * as a try.
 *
 * @throws AppError `code.invalid`.
 */
export async function checkRegistrationCode(
	needs: Parameters<typeof tryCode>[0],
	{ email, code }: Pick<Registration, "email" | "code">,
	caller: Caller,
): Promise<void> {
	await tryCode(needs, registrationKey(caller, email), code, "registration.code_refused", caller);
}

interface Registration {
	readonly username: string;
	/** Lower case. */
	readonly email: string;
	readonly passwordPlain: string;
	/** The six digits that were mailed. */
	readonly code: string;
	/** At most 100 characters. */
	readonly displayName: string;
}

/**
 * Only a correct code reveals what is taken. The code stays valid if the username is taken; a taken email address
 * consumes it. Of concurrent registrations with one code, one succeeds.
 *
 * @throws AppError `sign_in.enforced`, `password.*`, `code.invalid` (wrong, expired, used, or tried too often), `username.taken`,
 * `email.taken`, `service.overloaded`.
 */
export async function register(
	needs: Needs<"domains" | "emailCodes" | "users" | "audit", "clock" | "passwords" | "keys" | "statistics">,
	{ code, ...registration }: Registration,
	caller: Caller,
): Promise<User> {
	const { db, clock, passwords } = needs;
	const { tenantId, origin } = caller;
	const { username, email, displayName } = registration;
	await checkNotEnforced(db.stores, tenantId, email);
	const passwordPlain = await passwords.check(registration.passwordPlain, registration);
	const key = registrationKey(caller, email);
	// Before hashing, so that a request without a correct code is cheap.
	const codeDigest = await tryCode(needs, key, code, "registration.code_refused", caller);
	const passwordHash = await passwords.hash(passwordPlain, origin.ip);
	const now = clock();
	const locale = localeOfRequest(origin.acceptLanguage);
	const user = newUser({ tenantId, username, email, emailVerified: true, displayName, locale }, now);
	const isCreated = await db.transaction(async ({ emailCodes, users, audit }) => {
		if (!(await emailCodes.consume(key, codeDigest, now))) throw wrongCode();
		const taken = await users.insert({ ...user, passwordHash });
		if (taken === "username") throw writeError(taken);
		// Returns, so that the transaction commits and the code stays consumed.
		if (taken === "email") return false;
		const details = { username, status: user.status };
		await audit.append(userCaller(user, origin), "user.registered", userTarget(user), details);
		return true;
	});
	if (!isCreated) throw writeError("email");
	needs.statistics.count(tenantId, "registration");
	return user;
}
