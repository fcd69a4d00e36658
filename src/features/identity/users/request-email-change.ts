// Mails a code to the new address of an account.

import type { EmailCodeKey } from "../../../domain/mailed-code.ts";
import { CODE_SECONDS } from "../../../domain/mailed-code.ts";
import type { SignedIn } from "../../../domain/session.ts";
import { invalidField } from "../../../kernel/error.ts";
import type { Needs } from "../../platform.ts";
import { proveOwner } from "../steps/prove-password.ts";
import { sendCode } from "../steps/send-code.ts";

/** A code belongs to the user who requested it: no other user can try or consume it. */
export function emailChangeKey({ tenantId, userId }: SignedIn, address: string): EmailCodeKey {
	return { tenantId, purpose: `email_change:${userId}`, address };
}

/**
 * An account without a password and without a verified address (it was created through a provider) may rely on a fresh
 * sign-in. With a verified address it sets a password by mail first: a provider account that an attacker linked must not
 * be enough to move it.
 *
 * @throws AppError what `proveOwner` and `sendCode` throw; `request.invalid` when it is the address of the account already.
 */
export async function requestEmailChange(
	needs: Needs<
		"users" | "sessions" | "loginFailures" | "emailCodes" | "mail" | "allowances" | "audit",
		"passwords" | "attempts" | "keys" | "clock" | "mailsPerHour" | "wakeMail"
	>,
	{
		email,
		currentPasswordPlain,
	}: { readonly email: string; readonly currentPasswordPlain?: string | undefined },
	caller: SignedIn,
): Promise<void> {
	const { username } = caller.user;
	if (email === caller.user.email) throw invalidField("email", "is the address of the account already");
	const proof = {
		field: "current_password",
		refusedAs: "user.email_change_refused",
		mayRelyOnSignIn: ({ emailVerified }: { readonly emailVerified: boolean }) => !emailVerified,
	} as const;
	await proveOwner(needs, currentPasswordPlain, proof, caller);
	await sendCode(
		needs,
		{
			key: emailChangeKey(caller, email),
			purpose: "email_change",
			action: "user.email_change_requested",
			withCode: (code) => ({
				kind: "email_change_code",
				username,
				code,
				expiresInMinutes: CODE_SECONDS / 60,
			}),
			toOwner: (owner) => ({ kind: "email_change_taken", username: owner.username }),
		},
		caller,
	);
}
