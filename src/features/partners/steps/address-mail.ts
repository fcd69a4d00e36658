// Addresses mails to applicants, owners of API clients, and reviewers.

import type { AccessRequest } from "../../../domain/access-request.ts";
import type { ClientOwner } from "../../../domain/api-client.ts";
import type { NewMail } from "../../../domain/mail.ts";

export function addressMail(
	tenantId: string,
	{ name, email, locale }: Pick<ClientOwner, "name" | "email" | "locale">,
	message: NewMail["message"],
): NewMail {
	return { tenantId, to: email, toName: name, locale, message };
}

export function applicantMail(
	{ tenantId, applicantName: name, email, locale }: AccessRequest,
	message: NewMail["message"],
): NewMail {
	return addressMail(tenantId, { name, email, locale }, message);
}
