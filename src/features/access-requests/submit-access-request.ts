// Submits an access request: one pending at a time for an e-mail, a receipt to the applicant, a notice to the reviewers.

import { tokenDigest } from "../../crypto/digest.ts";
import { randomToken } from "../../crypto/random.ts";
import { AppError } from "../../kernel/error.ts";
import { newId } from "../../kernel/id.ts";
import type { Origin } from "../../kernel/origin.ts";
import type { Persistence } from "../../kernel/transaction.ts";
import type { AuditLog } from "../audit/model.ts";
import {
	type Locale,
	type MailAllowanceStore,
	type MailLimit,
	type MailOutbox,
	type NewMail,
	parseLocale,
	takeMailAllowance,
} from "../mail/model.ts";
import type { UserStore } from "../users/model.ts";
import type { AccessRequest, AccessRequestStore } from "./model.ts";

export interface SubmitDeps extends MailLimit {
	readonly db: Persistence<{
		accessRequests: AccessRequestStore;
		users: UserStore;
		mail: MailOutbox;
		mailAllowances: MailAllowanceStore;
		audit: AuditLog;
	}>;
	readonly publicUrl: string;
	wakeMail(): void;
}

export type Submission = Pick<
	AccessRequest,
	"applicantName" | "email" | "company" | "projectName" | "purpose"
>;

/** Reviewers have no stored language. */
const NOTICE_LOCALE: Locale = "en";

/** @throws AppError `access_request.pending_exists`: decided by the unique index, so of many at once one succeeds; `mail.too_many`. */
export async function submitAccessRequest(
	deps: SubmitDeps,
	submission: Submission,
	{ tenantId, origin }: { readonly tenantId: string; readonly origin: Origin },
): Promise<AccessRequest> {
	const { db, publicUrl, wakeMail } = deps;
	const now = deps.clock();
	const withdrawToken = randomToken();
	const request: AccessRequest = {
		id: newId(now),
		tenantId,
		...submission,
		locale: parseLocale(origin.acceptLanguage),
		status: "pending",
		reviewNote: "",
		reviewedBy: null,
		reviewedAtMs: null,
		apiClientId: null,
		createdAtMs: now,
		updatedAtMs: now,
	};
	await db.transaction(async ({ accessRequests, users, mail, mailAllowances, audit }) => {
		await takeMailAllowance(mailAllowances, deps, tenantId, origin.ip);
		const inserted = await accessRequests.insert({ ...request, withdrawDigest: tokenDigest(withdrawToken) });
		if (!inserted) {
			throw new AppError(
				"access_request.pending_exists",
				"a pending access request already exists for this e-mail",
			);
		}
		await audit.append({
			tenantId,
			actor: "anonymous",
			action: "access_request.submitted",
			target: `access_request:${request.id}`,
			origin,
		});
		await mail.put(receipt(request, `${publicUrl}/withdraw#${withdrawToken}`));
		for (const reviewer of await users.listReviewers(tenantId)) {
			await mail.put(notice(request, reviewer.email, reviewer.displayName));
		}
	});
	wakeMail();
	return request;
}

function receipt(request: AccessRequest, withdrawUrl: string): NewMail {
	return {
		tenantId: request.tenantId,
		to: request.email,
		toName: request.applicantName,
		locale: request.locale,
		message: {
			kind: "access_request_receipt",
			applicantName: request.applicantName,
			projectName: request.projectName,
			withdrawUrl,
		},
	};
}

function notice(request: AccessRequest, to: string, toName: string): NewMail {
	return {
		tenantId: request.tenantId,
		to,
		toName,
		locale: NOTICE_LOCALE,
		message: {
			kind: "access_request_notice",
			applicantName: request.applicantName,
			email: request.email,
			company: request.company,
			projectName: request.projectName,
			purpose: request.purpose,
			requestId: request.id,
		},
	};
}
