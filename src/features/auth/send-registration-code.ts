// Mails a code that proves an address, before an account is made for it.

import { randomDigits, randomToken } from "../../crypto/random.ts";
import { SECOND_MS } from "../../kernel/clock.ts";
import type { Origin } from "../../kernel/origin.ts";
import type { Persistence } from "../../kernel/transaction.ts";
import type { AuditLog } from "../audit/model.ts";
import {
	type MailAllowanceStore,
	type MailLimit,
	type MailMessage,
	type MailOutbox,
	parseLocale,
	takeMailAllowance,
} from "../mail/model.ts";
import type { UserStore } from "../users/model.ts";
import type { AuthKeys } from "./auth-keys.ts";
import {
	CODE_DIGITS,
	CODE_RESEND_SECONDS,
	CODE_SECONDS,
	type EmailCodeStore,
	tooManyCodes,
} from "./model.ts";

export interface SendCodeDeps extends MailLimit {
	readonly db: Persistence<{
		emailCodes: EmailCodeStore;
		users: UserStore;
		mail: MailOutbox;
		mailAllowances: MailAllowanceStore;
		audit: AuditLog;
	}>;
	readonly keys: AuthKeys;
	readonly wakeMail: () => void;
}

export interface SentCode {
	readonly expiresInSeconds: number;
	readonly resendAfterSeconds: number;
}

/**
 * An address that has an account is treated alike, limits included: its owner is mailed that the account exists, and
 * the code that is stored is one nobody knows.
 *
 * @throws AppError `code.too_many`, `mail.too_many`.
 */
export async function sendRegistrationCode(
	deps: SendCodeDeps,
	{ tenantId, email }: { readonly tenantId: string; readonly email: string },
	origin: Origin,
): Promise<SentCode> {
	const { db, keys, wakeMail } = deps;
	const now = deps.clock();
	const code = randomDigits(CODE_DIGITS);
	const key = { tenantId, purpose: "registration", address: email } as const;
	const refusal = await db.transaction(async ({ users, emailCodes, mail, mailAllowances, audit }) => {
		await takeMailAllowance(mailAllowances, deps, tenantId, origin.ip);
		const owner = await users.findByLogin(tenantId, email);
		const codeDigest = keys.codeDigest(key, owner === undefined ? code : randomToken());
		const refused = await emailCodes.put(
			{ ...key, codeDigest, expiresAtMs: now + CODE_SECONDS * SECOND_MS },
			now,
		);
		if (refused !== undefined) return refused;
		const message: MailMessage =
			owner === undefined
				? { kind: "registration_code", code, expiresInMinutes: CODE_SECONDS / 60 }
				: { kind: "account_exists", username: owner.username };
		await mail.put({ tenantId, to: email, locale: parseLocale(origin.acceptLanguage), message });
		await audit.append({
			tenantId,
			actor: "anonymous",
			action: "registration.code_requested",
			target: owner === undefined ? "" : `user:${owner.id}`,
			origin,
		});
		return undefined;
	});
	if (refusal !== undefined) throw tooManyCodes(refusal, now);
	wakeMail();
	return { expiresInSeconds: CODE_SECONDS, resendAfterSeconds: CODE_RESEND_SECONDS };
}
