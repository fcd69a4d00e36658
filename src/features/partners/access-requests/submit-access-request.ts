// Submits an access request: at most one pending request per email address.

import { tokenDigest } from "../../../crypto/digest.ts";
import { randomToken } from "../../../crypto/random.ts";
import { type AccessRequest, accessRequestTarget } from "../../../domain/access-request.ts";
import { takeMailAllowance } from "../../../domain/address-allowance.ts";
import type { Caller } from "../../../domain/caller.ts";
import { parseLocale } from "../../../domain/locale.ts";
import type { NewMail } from "../../../domain/mail.ts";
import { UNDECIDED } from "../../../domain/request.ts";
import { AppError } from "../../../kernel/error.ts";
import { newId } from "../../../kernel/id.ts";
import type { Needs } from "../../platform.ts";
import { applicantMail, mailNewRequest, reviewUrl } from "../steps/address-mail.ts";
import { issueTestLink } from "./create-test-client.ts";

type Needed = Needs<
	"accessRequests" | "tenants" | "users" | "emailCodes" | "mail" | "requestMails" | "allowances" | "audit",
	"clock" | "mailsPerHour" | "publicUrl" | "wakeMail"
>;

export type Submission = Pick<
	AccessRequest,
	"applicantName" | "email" | "company" | "projectName" | "purpose"
>;

/**
 * Stores the request also when the email address has received too many receipts: only the receipt is dropped, so that
 * requests in several tenants do not send several mails to a stranger.
 *
 * @throws AppError `access_request.pending_exists` (decided by the unique index), `mail.too_many`.
 */
export async function submitAccessRequest(
	needed: Needed,
	submission: Submission,
	caller: Caller,
): Promise<AccessRequest> {
	const now = needed.clock();
	const { tenantId, origin } = caller;
	const withdrawToken = randomToken();
	const request = newRequest(tenantId, submission, origin.acceptLanguage, now);
	const allowsTest = (await needed.db.stores.tenants.findById(tenantId))?.testClients === true;
	const testLink = allowsTest ? issueTestLink(needed.publicUrl) : undefined;
	const withdrawDigest = tokenDigest(withdrawToken);
	const testDigest = testLink?.testDigest ?? null;
	await needed.db.transaction(async (stores) => {
		const { accessRequests, emailCodes, mail, allowances, audit } = stores;
		await takeMailAllowance(allowances, needed, origin.ip);
		const inserted = await accessRequests.insert({ ...request, withdrawDigest, testDigest });
		if (!inserted) {
			throw new AppError(
				"access_request.pending_exists",
				"a pending access request already exists for this email address",
			);
		}
		const refused = await emailCodes.countSend({ purpose: "access_request", address: request.email }, now);
		await audit.append(caller, "access_request.submitted", accessRequestTarget(request));
		if (refused === undefined)
			await mail.put(receipt(request, `${needed.publicUrl}/withdraw#${withdrawToken}`, testLink?.url ?? ""));
		await mailNewRequest(stores, request, notice(request, needed.publicUrl));
	});
	needed.wakeMail();
	return request;
}

function newRequest(
	tenantId: string,
	submission: Submission,
	acceptLanguage: string,
	nowMs: number,
): AccessRequest {
	return {
		id: newId(nowMs),
		tenantId,
		...submission,
		locale: parseLocale(acceptLanguage),
		...UNDECIDED,
		claimedAtMs: null,
		testCallsOk: 0,
		testCallsRefused: 0,
		createdAtMs: nowMs,
		updatedAtMs: nowMs,
	};
}

function receipt(request: AccessRequest, withdrawUrl: string, testUrl: string): NewMail {
	const { applicantName, projectName } = request;
	return applicantMail(request, {
		kind: "access_request_receipt",
		applicantName,
		projectName,
		withdrawUrl,
		testUrl,
	});
}

function notice(request: AccessRequest, publicUrl: string): NewMail["message"] {
	const { id: requestId, applicantName, email, company, projectName, purpose } = request;
	const shown = { applicantName, email, company, projectName, purpose };
	return { kind: "access_request_notice", ...shown, requestId, reviewUrl: reviewUrl(publicUrl, request) };
}
