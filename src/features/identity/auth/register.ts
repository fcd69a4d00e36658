// Creates an account for a person who has verified their address with a mailed code.

import type { Caller } from "../../../domain/caller.ts";
import type { EmailCodeKey } from "../../../domain/mailed-code.ts";
import { newUser, takenError, type User } from "../../../domain/user.ts";
import type { Needs } from "../../platform.ts";
import { tryCode, wrongCode } from "../steps/try-code.ts";

export interface Registration {
	readonly username: string;
	/** Lower case. */
	readonly email: string;
	readonly passwordPlain: string;
	/** As mailed: six digits. */
	readonly code: string;
	/** At most 100 characters. */
	readonly displayName: string;
}

/**
 * Only a right code reveals what is taken. A taken username leaves the code valid; a taken address consumes it. Of parallel
 * registrations with one code one succeeds.
 *
 * @throws AppError `password.*`, `code.invalid` (wrong, expired, used or tried too often), `username.taken`,
 * `email.taken`, `service.overloaded`.
 */
export async function register(
	needs: Needs<"emailCodes" | "users" | "audit", "clock" | "passwords" | "keys">,
	{ code, ...registration }: Registration,
	caller: Caller,
): Promise<User> {
	const { db, clock, passwords } = needs;
	const { tenantId, origin } = caller;
	const { username, email, displayName } = registration;
	const passwordPlain = await passwords.check(registration.passwordPlain, registration);
	const key: EmailCodeKey = { tenantId, purpose: "registration", address: email };
	// Before the hash, so that a request without a right code costs little.
	const codeDigest = await tryCode(needs, key, code, "registration.code_refused", caller);
	const passwordHash = await passwords.hash(passwordPlain, origin.ip);
	const now = clock();
	const user = newUser({ tenantId, username, email, emailVerified: true, displayName }, now);
	const isCreated = await db.transaction(async ({ emailCodes, users, audit }) => {
		if (!(await emailCodes.consume(key, codeDigest, now))) throw wrongCode();
		const taken = await users.insert({ ...user, passwordHash });
		if (taken === "username") throw takenError(taken);
		// Commits, so that the code stays consumed.
		if (taken === "email") return false;
		const actor = `user:${user.id}` as const;
		const details = { username, status: user.status };
		await audit.append({ tenantId, actor, origin }, "user.registered", actor, details);
		return true;
	});
	if (!isCreated) throw takenError("email");
	return user;
}
