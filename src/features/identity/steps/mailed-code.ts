// Mails a code that verifies an email address, and checks the code that the user enters.

import { randomDigits, randomToken } from "../../../crypto/random.ts";
import { takeMailAllowance } from "../../../domain/address-allowance.ts";
import { type AuditTarget, named, userTarget } from "../../../domain/audit.ts";
import type { AuditAction } from "../../../domain/audit-action.ts";
import type { Caller } from "../../../domain/caller.ts";
import { type Locale, mailLocale } from "../../../domain/locale.ts";
import type { MailMessage } from "../../../domain/mail-message.ts";
import {
	CODE_DIGITS,
	CODE_SECONDS,
	type CountedMail,
	type EmailCodeKey,
	tooManyMails,
} from "../../../domain/mailed-code.ts";
import type { User } from "../../../domain/user.ts";
import { SECOND_MS } from "../../../kernel/clock.ts";
import { type AppError, refusedField } from "../../../kernel/error.ts";
import { problem } from "../../../kernel/field-reason.ts";
import type { Needs } from "../../platform.ts";

export type CodeNeeds = Needs<
	"emailCodes" | "users" | "mail" | "allowances" | "audit",
	"clock" | "keys" | "mailsPerHour" | "wakeMail"
>;

export interface CodeMail {
	readonly key: EmailCodeKey;
	readonly purpose: CountedMail["purpose"];
	readonly action: AuditAction;
	/** The language chosen by the user who requested the code. */
	readonly locale?: Locale | null;
	/** For an address without an account. */
	withCode(code: string): MailMessage;
	/** For an address that has an account. */
	toOwner(owner: User): MailMessage;
}

/**
 * Runs the same statements and limits for an address with an account. The mail then notifies its owner, and the stored
 * digest is that of a random token, so no code is valid.
 *
 * @throws AppError `code.too_many`, `mail.too_many`.
 */
export async function sendCode(
	needs: CodeNeeds,
	{ key, purpose, action, locale: chosen, withCode, toOwner }: CodeMail,
	caller: Caller,
): Promise<void> {
	const { tenantId, address } = key;
	const now = needs.clock();
	const code = randomDigits(CODE_DIGITS);
	const refusal = await needs.db.transaction(async ({ users, emailCodes, mail, allowances, audit }) => {
		await takeMailAllowance(allowances, needs, caller.origin.ip);
		const owner = await users.findByLogin(tenantId, address);
		const refused = await emailCodes.countSend({ purpose, address }, now);
		if (refused !== undefined) return refused;
		const codeDigest = needs.keys.codeDigest(key, owner === undefined ? code : randomToken());
		await emailCodes.put({ ...key, codeDigest, expiresAtMs: now + CODE_SECONDS * SECOND_MS });
		const message = owner === undefined ? withCode(code) : toOwner(owner);
		const locale = mailLocale(owner === undefined ? chosen : owner.locale, caller.origin.acceptLanguage);
		await mail.put({ tenantId, to: address, locale, message });
		await audit.append(caller, action, ownTarget(caller) || (owner === undefined ? "" : userTarget(owner)));
		return undefined;
	});
	if (refusal !== undefined) throw tooManyMails(refusal, now);
	needs.wakeMail();
}

/**
 * Does not consume the code. A wrong code is counted and recorded as `refusedAs` in one transaction, which commits
 * before this throws.
 *
 * @returns the digest to consume the code with: `emailCodes.consume(key, digest, now)`.
 * @throws AppError `code.invalid`: wrong, expired, used, or tried too often.
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
		if (result === "wrong") await audit.append(caller, refusedAs, ownTarget(caller));
		return result;
	});
	if (outcome !== "right") throw wrongCode();
	return codeDigest;
}

function ownTarget({ userId, actorName }: Caller): AuditTarget {
	return userId === null ? "" : named("user", userId, actorName);
}

export function wrongCode(): AppError {
	return refusedField("code.invalid", "code", problem("incorrect_or_expired"));
}
