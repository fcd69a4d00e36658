// Approves and rejects pending requests of every kind, mails the decision, previews that mail, and sends it again.

import { checkExpiry } from "../../../domain/api-client.ts";
import type { NewMail } from "../../../domain/mail.ts";
import type { MailPreview } from "../../../domain/mail-transport.ts";
import { type RequestKind, requestDecided, requestNotFound } from "../../../domain/request.ts";
import type {
	Decision,
	QueuedRequest,
	RequestOf,
	ReviewedRequest,
	Reviewer,
	ReviewScope,
} from "../../../domain/request-queue.ts";
import { AppError, found } from "../../../kernel/error.ts";
import { newId } from "../../../kernel/id.ts";
import type { Needs } from "../../platform.ts";
import { partnerRules } from "../access-requests/partner-rules.ts";
import { personRules } from "../person-requests/person-rules.ts";
import { programRules } from "../programs/program-rules.ts";
import type { Deciding, Mailing, RequestRules, RequestStores, SettingsOf } from "./request-rules.ts";

/** The only place of the use cases that knows every kind. */
const RULES: { readonly [K in RequestKind]: RequestRules<K> } = {
	partner: partnerRules,
	program: programRules,
	person: personRules,
};

type Needed = Needs<keyof RequestStores, "clock" | "publicUrl" | "wakeMail">;

interface Approval<K extends RequestKind> {
	readonly id: string;
	/** Of the request with this id. */
	readonly kind: K;
	/** `""` if there is none. */
	readonly reviewNote: string;
	readonly settings: SettingsOf[K];
}

/**
 * Runs in one transaction. Of concurrent decisions and a withdrawal exactly one succeeds.
 *
 * @throws AppError `request.not_found`, `request.already_decided`, `request.own`, `request.invalid` (settings), and what the
 * kind adds.
 */
export async function approveRequest<K extends RequestKind>(
	needs: Needed,
	{ id, kind, reviewNote, settings }: Approval<K>,
	caller: Reviewer,
): Promise<ReviewedRequest> {
	if ("expiresAtMs" in settings) checkExpiry(settings.expiresAtMs ?? null, needs.clock());
	return await decide(needs, id, { status: "approved", reviewNote }, caller, async (mailing) => {
		const { stores, request } = mailing;
		if (!isOfKind(request, kind)) throw requestNotFound();
		const rules: RequestRules<K> = RULES[kind];
		const details = rules.details(request, settings);
		await stores.audit.append(caller, rules.actions.approved, rules.target(request), details);
		return await rules.approve({ ...mailing, request, caller }, settings);
	});
}

/** @throws AppError `request.not_found`, `request.already_decided`, `request.own`. */
export async function rejectRequest(
	needs: Needed,
	id: string,
	reviewNote: string,
	caller: Reviewer,
): Promise<ReviewedRequest> {
	const reject = async <K extends RequestKind>(kind: K, mailing: Mailing<K>): Promise<NewMail[]> => {
		const rules: RequestRules<K> = RULES[kind];
		const target = rules.target(mailing.request);
		await mailing.stores.audit.append(caller, rules.actions.rejected, target);
		return await rules.reject({ ...mailing, caller });
	};
	return await decide(needs, id, { status: "rejected", reviewNote }, caller, (mailing) =>
		reject(mailing.request.kind, mailing),
	);
}

/** @param effects inside the transaction, after the status changed; returns the mails of the decision */
async function decide(
	{ db, clock, publicUrl, wakeMail }: Needed,
	id: string,
	{ status, reviewNote }: Pick<Decision, "status" | "reviewNote">,
	caller: Reviewer,
	effects: (mailing: Mailing<RequestKind>) => Promise<NewMail[]>,
): Promise<ReviewedRequest> {
	const { tenantId, userId } = caller;
	const nowMs = clock();
	const decided = await db.transaction(async (stores) => {
		const { requests, mail } = stores;
		const before = await getRequest(stores, caller, id);
		await checkDecides({ stores, request: before, publicUrl, nowMs, caller });
		// The grant of a person names its request instead.
		const resultId = status === "approved" && before.kind !== "person" ? newId(nowMs) : null;
		const decision = { status, reviewNote, reviewedBy: userId, reviewedAtMs: nowMs, resultId };
		const isDecided = (await requests.decide(tenantId, id, decision)) !== undefined;
		const request = await getRequest(stores, caller, id);
		if (!isDecided) throw requestDecided(request);
		for (const one of await effects({ stores, request, publicUrl, nowMs })) await mail.put(one);
		return request;
	});
	wakeMail();
	return decided;
}

/** @throws AppError `request.own`. */
async function checkDecides<K extends RequestKind>(deciding: Deciding<K>): Promise<void> {
	const rules: RequestRules<K> = RULES[deciding.request.kind as K];
	await rules.checkDecides?.(deciding);
}

interface Preview {
	/** As the first recipient receives it. */
	readonly mail: MailPreview;
	readonly recipients: number;
}

/**
 * Renders the mail of a decision as it would be sent now. Changes nothing.
 *
 * @throws AppError `request.not_found`, `request.already_decided`, `request.no_recipient`.
 */
export async function previewDecision(
	{ db, clock, publicUrl, previewMail }: Needs<keyof RequestStores, "clock" | "publicUrl" | "previewMail">,
	scope: ReviewScope,
	id: string,
	{ status, reviewNote }: Pick<Decision, "status" | "reviewNote">,
): Promise<Preview> {
	const preview = <K extends RequestKind>(kind: K, mailing: Mailing<K>): Promise<NewMail[]> => {
		const rules: RequestRules<K> = RULES[kind];
		return rules.preview(mailing, status);
	};
	const { stores } = db;
	const request = await getRequest(stores, scope, id);
	if (request.status !== "pending") throw requestDecided(request);
	const decided: ReviewedRequest = { ...request, reviewNote };
	const mails = await preview(request.kind, { stores, request: decided, publicUrl, nowMs: clock() });
	return { mail: await previewMail(firstOf(mails)), recipients: mails.length };
}

/**
 * Mails an approval once more.
 *
 * @throws AppError `request.not_found`, `request.not_approved`, `request.no_recipient`, and what the kind adds.
 */
export async function resendDecision(
	{ db, clock, publicUrl, wakeMail }: Needed,
	id: string,
	caller: Reviewer,
): Promise<void> {
	const resend = async <K extends RequestKind>(kind: K, mailing: Mailing<K>): Promise<NewMail[]> => {
		const rules: RequestRules<K> = RULES[kind];
		const mails = await rules.resend({ ...mailing, caller });
		firstOf(mails);
		await mailing.stores.audit.append(caller, rules.actions.resent, rules.target(mailing.request));
		return mails;
	};
	await db.transaction(async (stores) => {
		const request = await getRequest(stores, caller, id);
		if (request.status !== "approved")
			throw new AppError("request.not_approved", `the request is ${request.status}`);
		const mails = await resend(request.kind, { stores, request, publicUrl, nowMs: clock() });
		for (const mail of mails) await stores.mail.put(mail);
	});
	wakeMail();
}

async function getRequest(
	{ requests }: Pick<RequestStores, "requests">,
	scope: ReviewScope,
	id: string,
): Promise<ReviewedRequest> {
	return found(await requests.findById(scope, id), requestNotFound);
}

function firstOf([first]: readonly NewMail[]): NewMail {
	if (first !== undefined) return first;
	throw new AppError("request.no_recipient", "the decision has no recipient: no active user asked");
}

function isOfKind<K extends RequestKind>(request: QueuedRequest, kind: K): request is RequestOf[K] {
	return request.kind === kind;
}
