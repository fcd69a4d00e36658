// A mail to the applicant of an access request, in the language of the submission.

import type { AccessRequest } from "../../../domain/access-request.ts";
import type { NewMail } from "../../../domain/mail.ts";
import { addressMail } from "../steps/address-mail.ts";

export function applicantMail(
	{ tenantId, applicantName: name, email, locale }: AccessRequest,
	message: NewMail["message"],
): NewMail {
	return addressMail(tenantId, { name, email, locale }, message);
}
