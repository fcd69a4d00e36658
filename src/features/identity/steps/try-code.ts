// Tries a mailed code: counts and records a wrong one.

import type { AuditAction } from "../../../domain/audit-action.ts";
import type { Caller } from "../../../domain/caller.ts";
import type { EmailCodeKey } from "../../../domain/mailed-code.ts";
import { type AppError, invalidField } from "../../../kernel/error.ts";
import type { Needs } from "../../platform.ts";

/**
 * Does not consume the code. A wrong code is counted and recorded as `refusedAs` in one transaction, which commits before
 * this throws.
 *
 * @returns the digest to consume the code with: `emailCodes.consume(key, digest, now)`.
 * @throws AppError `code.invalid`: wrong, expired, used or tried too often.
 */
export async function tryCode(
	{ db, clock, keys }: Needs<"emailCodes" | "audit", "clock" | "keys">,
	key: EmailCodeKey,
	codePlain: string,
	refusedAs: AuditAction,
	caller: Caller,
): Promise<string> {
	const codeDigest = keys.codeDigest(key, codePlain);
	const outcome = await db.transaction(async ({ emailCodes, audit }) => {
		const result = await emailCodes.tryCode(key, codeDigest, clock());
		if (result === "wrong")
			await audit.append(caller, refusedAs, caller.userId === null ? "" : `user:${caller.userId}`);
		return result;
	});
	if (outcome !== "right") throw wrongCode();
	return codeDigest;
}

export function wrongCode(): AppError {
	return invalidField("code", "is wrong or expired", "code.invalid");
}
