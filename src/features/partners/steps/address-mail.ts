// Addresses mails to applicants, owners of API clients, reviewers, and other users.

import type { AccessRequest } from "../../../domain/access-request.ts";
import type { ClientOwner } from "../../../domain/api-client.ts";
import { LOCALES } from "../../../domain/locale.ts";
import type { NewMail } from "../../../domain/mail.ts";
import type { RequestState } from "../../../domain/request.ts";
import type { Stores } from "../../../domain/stores.ts";
import type { User } from "../../../domain/user.ts";

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

/** In English for users who have chosen no language. */
export function userMail(
	{ tenantId, displayName: name, email, locale }: User,
	message: NewMail["message"],
): NewMail {
	return addressMail(tenantId, { name, email, locale: locale ?? LOCALES[0] }, message);
}

/** Inside a transaction. */
export async function mailReviewers(
	{ users, mail }: Stores<"users" | "mail">,
	tenantId: string,
	message: NewMail["message"],
): Promise<void> {
	for (const reviewer of await users.listReviewers(tenantId)) await mail.put(userMail(reviewer, message));
}

/** The group that is mailed instead of the reviewers, unless it has no other member, and who may not decide. */
interface ReviewerGroup {
	readonly groupId: string | null;
	readonly except: string;
}

/** Inside the transaction that writes the request. Reviewers who chose a digest get the request with the next one. */
export async function mailNewRequest(
	{ users, mail, requestMails }: Stores<"users" | "mail" | "requestMails">,
	{ tenantId, createdAtMs }: Pick<RequestState, "tenantId" | "createdAtMs">,
	message: NewMail["message"],
	{ groupId, except }: ReviewerGroup = { groupId: null, except: "" },
): Promise<void> {
	const members = groupId === null ? [] : await users.listActiveMembers(tenantId, groupId, createdAtMs);
	const isOther = ({ id }: User) => id !== except;
	const reviewers = members.some(isOther) ? members : await users.listReviewers(tenantId);
	// In one order, so that concurrent requests do not wait for each other's digests.
	for (const reviewer of reviewers.filter(isOther).sort((one, other) => (one.id < other.id ? -1 : 1)))
		if (!(await requestMails.postpone(tenantId, reviewer.id, createdAtMs)))
			await mail.put(userMail(reviewer, message));
}

/** Where reviewers decide. */
export function reviewUrl(publicUrl: string, { id }: Pick<RequestState, "id">): string {
	return `${publicUrl}/console/requests/${id}`;
}
