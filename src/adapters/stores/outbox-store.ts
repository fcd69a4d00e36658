// The mail outbox in SQL. The content of a mail is sealed while it waits and erased once it is sent.

import {
	type ClaimedMail,
	isReachable,
	type ListedMail,
	MAIL_LEASE_MS,
	type MailBacklog,
	type MailOutbox,
	type MailQueue,
	type MailRecords,
	type MailState,
	mailContext,
	type NewMail,
	type OutboxMail,
} from "../../domain/mail.ts";
import { mapPage } from "../../kernel/page.ts";
import type { Queries } from "../sql/queries.ts";
import { mailOutbox } from "../sql/tables/record-tables.ts";

export interface OutboxStoreOptions {
	readonly nowMs: () => number;
	readonly newId: () => string;
	readonly seal: (plain: string, context: string) => string;
	readonly open: (sealed: string, context: string) => string;
	/** The subject to list, without codes. */
	readonly subjectOf: (mail: NewMail) => string;
}

interface OutboxRow {
	readonly id: string;
	readonly payloadSealed: string;
	readonly attempts: number;
	readonly createdAtMs: number;
	readonly earlierAttempts: number;
}

const ERROR_MAX = 500;
const CLAIM = `WITH due AS MATERIALIZED (SELECT id FROM mail_outbox WHERE status = 'due' AND next_attempt_at <= $1
	  ORDER BY next_attempt_at, id LIMIT $3 FOR UPDATE SKIP LOCKED)
	UPDATE mail_outbox SET next_attempt_at = $2, attempts = attempts + 1 WHERE id IN (SELECT id FROM due)
	RETURNING ${mailOutbox.pick("id", "payloadSealed", "attempts", "createdAtMs", "earlierAttempts").columns}`;
const POSTPONE = `UPDATE mail_outbox SET next_attempt_at = $2, last_error = $3, attempts = attempts - 1
	WHERE id = $1 AND status = 'due'`;
/** A mail that is due before the end of a lease may be in delivery, so it is not moved forward. */
const HURRY = `UPDATE mail_outbox SET next_attempt_at = $3 WHERE id = $1 AND tenant_id = $2 AND status = 'due' AND next_attempt_at > $4`;
const REVIVE = `UPDATE mail_outbox SET status = 'due', next_attempt_at = $3, finished_at = NULL, earlier_attempts = attempts
	WHERE id = $1 AND tenant_id = $2 AND status = 'failed' AND payload_sealed <> ''`;
/** The condition of the partial indexes. */
const LISTED = "status <> 'dropped'";
const listed = mailOutbox.without("payloadSealed");
const STATUS_OF: Readonly<Record<MailState, string>> = { waiting: "due", sent: "sent", failed: "failed" };
const OLDEST = "SELECT min(created_at) AS at FROM mail_outbox WHERE status = 'due'";
const NEXT_DUE = "SELECT min(next_attempt_at) AS due FROM mail_outbox WHERE status = 'due'";

/** `claimDue` must run inside a transaction; the other calls are one statement each. */
export function createOutboxStore(
	queries: Queries,
	{ nowMs, newId, seal, open, subjectOf }: OutboxStoreOptions,
): MailOutbox & MailQueue & MailBacklog & MailRecords {
	const finish = async (
		status: "sent" | "failed",
		id: string,
		finishedAtMs: number,
		error: string,
		content: { readonly payloadSealed?: "" } = { payloadSealed: "" },
	) => {
		const finished = { status, ...content, lastError: error.slice(0, ERROR_MAX), finishedAtMs };
		await mailOutbox.update(queries, finished, { id, status: "due" });
	};
	const insert = async (mail: NewMail, isSent: boolean): Promise<void> => {
		const id = newId();
		const now = nowMs();
		// Seal in either case, so that the response time reveals nothing.
		const sealed = seal(JSON.stringify(mail), mailContext(id));
		const subject = subjectOf(mail);
		await mailOutbox.insert(queries, {
			id,
			tenantId: mail.tenantId,
			status: isSent ? "due" : "dropped",
			payloadSealed: isSent ? sealed : "",
			attempts: 0,
			nextAttemptAtMs: now,
			lastError: "",
			createdAtMs: now,
			finishedAtMs: isSent ? null : now,
			recipient: isSent ? mail.to.toLowerCase() : "",
			subject: isSent ? subject : "",
			earlierAttempts: 0,
		});
	};
	const openClaimed = async (row: OutboxRow, now: number): Promise<ClaimedMail[]> => {
		const { id, createdAtMs, attempts, earlierAttempts } = row;
		try {
			const mail = JSON.parse(open(row.payloadSealed, mailContext(id))) as NewMail;
			return [{ ...mail, id, createdAtMs, attempts, earlierAttempts }];
		} catch (error) {
			const reason = error instanceof Error ? error.message : "unknown";
			await finish("failed", id, now, `payload cannot be decrypted: ${reason}`);
			return [];
		}
	};
	return {
		put: (mail) => insert(mail, isReachable(mail.to)),
		putNothing: (mail) => insert(mail, false),
		async claimDue(now, limit, leaseMs) {
			const claimed: ClaimedMail[] = [];
			for (const row of await queries.all<OutboxRow>(CLAIM, now, now + leaseMs, limit))
				claimed.push(...(await openClaimed(row, now)));
			return claimed;
		},
		extendLease: ({ id, attempts }, nextAttemptAtMs) =>
			mailOutbox.updateOne(queries, { nextAttemptAtMs }, { id, status: "due", attempts }),
		markSent: (id, now) => finish("sent", id, now, ""),
		async markRetry(id, nextAttemptAtMs, error) {
			const lastError = error.slice(0, ERROR_MAX);
			await mailOutbox.update(queries, { nextAttemptAtMs, lastError }, { id, status: "due" });
		},
		async postpone(id, nextAttemptAtMs, error) {
			await queries.run(POSTPONE, id, nextAttemptAtMs, error.slice(0, ERROR_MAX));
		},
		markFailed: (id, now, error, keepsContent) =>
			finish("failed", id, now, error, keepsContent ? {} : { payloadSealed: "" }),
		nextDueAtMs: async () => (await queries.one<{ due: number | null }>(NEXT_DUE))?.due ?? undefined,
		// As text: the planner cannot use the partial index over due mails with a parameter.
		countWaiting: () => mailOutbox.count(queries, "status = 'due'"),
		oldestWaitingAtMs: async () => (await queries.one<{ at: number | null }>(OLDEST))?.at ?? undefined,
		async list(tenantId, { state, to, fromMs, toMs }, page) {
			const filter = listed
				.matching({ tenantId })
				.add(LISTED)
				.maybe("status = ?", state && STATUS_OF[state])
				.maybe("recipient = ?", to)
				.maybe("created_at >= ?", fromMs)
				.maybe("created_at < ?", toMs);
			// Each filter has an index, both together do not.
			if (state !== undefined && to !== undefined) filter.separately();
			return mapPage(await listed.list(queries, { filter }, page), toListed);
		},
		async findById(tenantId, id) {
			const row = await listed.find(queries, `id = $1 AND tenant_id = $2 AND ${LISTED}`, id, tenantId);
			return row && toListed(row);
		},
		async findContent(tenantId, id) {
			const row = await mailOutbox.find(queries, { id, tenantId });
			return row && openContent(row, open);
		},
		async resend(tenantId, id, now) {
			if ((await queries.run(REVIVE, id, tenantId, now)) === 1) return true;
			// Twice the lease, because the clocks of nodes differ.
			await queries.run(HURRY, id, tenantId, now, now + 2 * MAIL_LEASE_MS);
			return mailOutbox.exists(queries, "id = $1 AND tenant_id = $2 AND status = 'due'", id, tenantId);
		},
		purge: (finishedBeforeMs, limit) =>
			mailOutbox.purge(queries, "finished_at < $1 ORDER BY finished_at", finishedBeforeMs, limit),
	};
}

type Row = Awaited<ReturnType<typeof mailOutbox.all>>[number];

function openContent(
	{ id, createdAtMs, payloadSealed }: Row,
	open: OutboxStoreOptions["open"],
): OutboxMail | undefined {
	if (payloadSealed === "") return undefined;
	return { ...(JSON.parse(open(payloadSealed, mailContext(id))) as NewMail), id, createdAtMs };
}

function toListed(row: Omit<Row, "payloadSealed">): ListedMail {
	const { id, tenantId, createdAtMs: atMs, recipient: to, subject, attempts, lastError } = row;
	const state = row.status === "due" ? "waiting" : row.status === "sent" ? "sent" : "failed";
	const nextAtMs = state === "waiting" ? row.nextAttemptAtMs : null;
	return { id, tenantId, atMs, to, subject, state, attempts, nextAtMs, lastError };
}
