// Mails a code that verifies an address before an account is created for it.

import type { Caller } from "../../../domain/caller.ts";
import { CODE_SECONDS } from "../../../domain/mailed-code.ts";
import { sendCode } from "../steps/send-code.ts";

/** @throws AppError `code.too_many`, `mail.too_many`. */
export function sendRegistrationCode(
	needs: Parameters<typeof sendCode>[0],
	address: string,
	caller: Caller,
): Promise<void> {
	return sendCode(
		needs,
		{
			key: { tenantId: caller.tenantId, purpose: "registration", address },
			purpose: "registration",
			action: "registration.code_requested",
			withCode: (code) => ({ kind: "registration_code", code, expiresInMinutes: CODE_SECONDS / 60 }),
			toOwner: ({ username }) => ({ kind: "account_exists", username }),
		},
		caller,
	);
}
