// Every kind of mail with its wording, one row each.

import { MINUTE_MS } from "../../kernel/clock.ts";
import {
	accessRequestApproved,
	accessRequestNotice,
	accessRequestReceipt,
	accessRequestRejected,
} from "./access-request-messages.ts";
import { accountExists, passwordChanged, registrationCode } from "./account-messages.ts";
import { apiClientExpires, apiClientSecretRotated } from "./api-client-messages.ts";
import type { Letter } from "./layout.ts";
import type { Locale, MailKind, MailMessage, OutboxMail } from "./model.ts";
import {
	emailChangeCode,
	emailChanged,
	emailChangeTaken,
	emailRestored,
	newDevice,
	passwordReset,
} from "./recovery-messages.ts";
import { recoveryCodeUsed, secondFactorChanged, secondFactorGuessed } from "./second-factor-messages.ts";
import { thirdPartyAccountLinked } from "./third-party-messages.ts";
import type { Wording } from "./wording.ts";

const WORDINGS: { readonly [K in MailKind]: Wording<K> } = {
	access_request_receipt: accessRequestReceipt,
	access_request_notice: accessRequestNotice,
	access_request_approved: accessRequestApproved,
	access_request_rejected: accessRequestRejected,
	registration_code: registrationCode,
	account_exists: accountExists,
	api_client_expires: apiClientExpires,
	api_client_secret_rotated: apiClientSecretRotated,
	password_changed: passwordChanged,
	password_reset: passwordReset,
	email_change_code: emailChangeCode,
	email_change_taken: emailChangeTaken,
	email_changed: emailChanged,
	email_restored: emailRestored,
	new_device: newDevice,
	second_factor_changed: secondFactorChanged,
	recovery_code_used: recoveryCodeUsed,
	second_factor_guessed: secondFactorGuessed,
	third_party_account_linked: thirdPartyAccountLinked,
};

/** The letter for a message. @throws Error when the kind is none of ours (a row an other version wrote). */
export function writeLetter<K extends MailKind>(message: MailMessage<K>, locale: Locale): Letter {
	if (!Object.hasOwn(WORDINGS, message.kind)) throw new Error(`unknown kind of mail: ${message.kind}`);
	const wording: Wording<K> = WORDINGS[message.kind as K];
	return wording[locale](message);
}

/** After this time the mail would only mislead (its code or link is dead); undefined when it never does. */
export function mailExpiryMs(mail: OutboxMail): number | undefined {
	switch (mail.message.kind) {
		case "registration_code":
		case "password_reset":
		case "email_change_code":
		case "email_restored":
			return mail.createdAtMs + mail.message.expiresInMinutes * MINUTE_MS;
		case "access_request_approved":
			return Date.parse(mail.message.claimExpiresAt);
		case "api_client_expires":
			return Date.parse(mail.message.expiresAt);
		default:
			return undefined;
	}
}
