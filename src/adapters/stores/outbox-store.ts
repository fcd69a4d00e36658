// The mail outbox in SQL. The content of a mail is sealed while it waits and erased when it was sent.

import {
	type ClaimedMail,
	isReachable,
	type MailBacklog,
	type MailOutbox,
	type MailQueue,
	mailContext,
	type NewMail,
} from "../../domain/mail.ts";
import type { Queries } from "../sql/engine.ts";
import { mailOutbox } from "../sql/tables/record-tables.ts";

export interface OutboxStoreOptions {
	readonly nowMs: () => number;
	readonly newId: () => string;
	readonly seal: (plain: string, context: string) => string;
	readonly open: (sealed: string, context: string) => string;
}

interface OutboxRow {
	readonly id: string;
	readonly payloadSealed: string;
	readonly attempts: number;
	readonly createdAtMs: number;
}

const ERROR_MAX = 500;
const CLAIM = `WITH due AS MATERIALIZED (SELECT id FROM mail_outbox WHERE status = 'due' AND next_attempt_at <= $1
	  ORDER BY next_attempt_at, id LIMIT $3 {{skip locked}})
	UPDATE mail_outbox SET next_attempt_at = $2, attempts = attempts + 1 WHERE id IN (SELECT id FROM due)
	RETURNING ${mailOutbox.pick("id", "payloadSealed", "attempts", "createdAtMs").columns}`;
const POSTPONE = `UPDATE mail_outbox SET next_attempt_at = $2, last_error = $3, attempts = attempts - 1
	WHERE id = $1 AND status = 'due'`;
const NEXT_DUE = "SELECT min(next_attempt_at) AS due FROM mail_outbox WHERE status = 'due'";

/** `claimDue` must run inside a transaction; the other calls are one statement each. */
export function createOutboxStore(
	queries: Queries,
	{ nowMs, newId, seal, open }: OutboxStoreOptions,
): MailOutbox & MailQueue & MailBacklog {
	const finish = async (status: "sent" | "failed", id: string, finishedAtMs: number, error: string) => {
		const finished = { status, payloadSealed: "", lastError: error.slice(0, ERROR_MAX), finishedAtMs };
		await mailOutbox.update(queries, finished, { id, status: "due" });
	};
	const insert = async (mail: NewMail, isSent: boolean): Promise<void> => {
		const id = newId();
		const now = nowMs();
		// Sealed in either case, so that the time of the answer does not tell.
		const sealed = seal(JSON.stringify(mail), mailContext(id));
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
		});
	};
	const openClaimed = async (row: OutboxRow, now: number): Promise<ClaimedMail[]> => {
		const { id, createdAtMs, attempts } = row;
		try {
			const mail = JSON.parse(open(row.payloadSealed, mailContext(id))) as NewMail;
			return [{ ...mail, id, createdAtMs, attempts }];
		} catch (error) {
			const reason = error instanceof Error ? error.message : "unknown";
			await finish("failed", id, now, `payload cannot be opened: ${reason}`);
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
		markFailed: (id, now, error) => finish("failed", id, now, error),
		nextDueAtMs: async () => (await queries.one<{ due: number | null }>(NEXT_DUE))?.due ?? undefined,
		// As text: a parameter would not admit the partial index over due mails.
		countWaiting: () => mailOutbox.count(queries, "status = 'due'"),
	};
}
