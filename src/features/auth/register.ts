// Makes an account for somebody who has proved their address with a mailed code.

import type { PasswordHasher } from "../../crypto/password.ts";
import type { Clock } from "../../kernel/clock.ts";
import { type AppError, invalidField } from "../../kernel/error.ts";
import { newId } from "../../kernel/id.ts";
import type { Origin } from "../../kernel/origin.ts";
import type { Persistence } from "../../kernel/transaction.ts";
import type { AuditLog } from "../audit/model.ts";
import { takenError, type User, type UserStore } from "../users/model.ts";
import type { AuthKeys } from "./auth-keys.ts";
import type { EmailCodeKey, EmailCodeStore } from "./model.ts";

interface RegisterStores {
	readonly emailCodes: EmailCodeStore;
	readonly users: UserStore;
	readonly audit: AuditLog;
}

export interface RegisterDeps {
	readonly db: Persistence<RegisterStores>;
	readonly clock: Clock;
	readonly passwords: PasswordHasher;
	readonly keys: AuthKeys;
}

export interface Registration {
	readonly tenantId: string;
	readonly username: string;
	/** Lower case. */
	readonly email: string;
	readonly passwordPlain: string;
	/** As it was mailed: six digits. */
	readonly code: string;
	/** At most 100 characters. */
	readonly displayName: string;
}

/**
 * What is taken is told only after a right code. A taken username leaves the code good for another try; a taken
 * address uses it up. Of simultaneous registrations with one code one succeeds.
 *
 * @throws AppError `password.*`, `code.invalid` (wrong, expired, used or tried too often), `username.taken`,
 * `email.taken`, `service.overloaded`.
 */
export async function register(
	{ db, clock, passwords, keys }: RegisterDeps,
	wanted: Registration,
	origin: Origin,
): Promise<User> {
	const passwordPlain = await passwords.check(wanted.passwordPlain, wanted);
	const key: EmailCodeKey = { tenantId: wanted.tenantId, purpose: "registration", address: wanted.email };
	const codeDigest = keys.codeDigest(key, wanted.code);
	// Nobody without a right code makes us pay for a hash.
	await tryCode({ db, clock }, key, codeDigest, origin);
	const passwordHash = await passwords.hash(passwordPlain);
	const now = clock();
	const user = newUser(wanted, now);
	const isWritten = await db.transaction(async ({ emailCodes, users, audit }) => {
		if (!(await emailCodes.consume(key, codeDigest, now))) throw wrongCode();
		const taken = await users.insert({ ...user, passwordHash });
		if (taken === "username") throw takenError(taken);
		if (taken === "email") return false;
		const target = `user:${user.id}` as const;
		await audit.append({
			tenantId: user.tenantId,
			actor: target,
			action: "user.registered",
			target,
			origin,
			details: { username: user.username, status: user.status },
		});
		return true;
	});
	if (!isWritten) throw takenError("email");
	return user;
}

/** Counts a wrong code before it says so. @throws AppError `code.invalid`. */
async function tryCode(
	{ db, clock }: Pick<RegisterDeps, "db" | "clock">,
	key: EmailCodeKey,
	codeDigest: string,
	origin: Origin,
): Promise<void> {
	const outcome = await db.transaction(async ({ emailCodes, audit }) => {
		const tried = await emailCodes.tryCode(key, codeDigest, clock());
		if (tried === "wrong") {
			const { tenantId } = key;
			const action = "registration.code_refused";
			await audit.append({ tenantId, actor: "anonymous", action, target: "", origin });
		}
		return tried;
	});
	if (outcome !== "right") throw wrongCode();
}

function newUser(wanted: Registration, nowMs: number): User {
	return {
		id: newId(nowMs),
		tenantId: wanted.tenantId,
		username: wanted.username,
		email: wanted.email,
		emailVerified: true,
		displayName: wanted.displayName,
		avatarUrl: "",
		status: "active",
		roles: [],
		mfaEnabled: false,
		lastLoginAtMs: null,
		createdAtMs: nowMs,
		updatedAtMs: nowMs,
	};
}

function wrongCode(): AppError {
	return invalidField("code", "is wrong or expired", "code.invalid");
}
