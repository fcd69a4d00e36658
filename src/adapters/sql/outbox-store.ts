// The mail outbox in SQL. What a mail says is sealed while it waits and erased once it has left.

import {
	type ClaimedMail,
	isReachable,
	type MailBacklog,
	type MailOutbox,
	type MailQueue,
	mailContext,
	type NewMail,
} from "../../features/mail/model.ts";
import type { Queries } from "./engine.ts";

export interface OutboxStoreOptions {
	readonly nowMs: () => number;
	readonly newId: () => string;
	readonly seal: (plain: string, context: string) => string;
	readonly open: (sealed: string, context: string) => string;
}

interface OutboxRow {
	id: string;
	payload_sealed: string;
	attempts: number;
	created_at: number;
}

const ERROR_MAX = 500;

/** `claimDue` must run inside a transaction; the other calls are one statement each. */
export function createOutboxStore(
	queries: Queries,
	{ nowMs, newId, seal, open }: OutboxStoreOptions,
): MailOutbox & MailQueue & MailBacklog {
	const finish = (status: string, id: string, atMs: number, error: string): Promise<number> =>
		queries.run(
			"UPDATE mail_outbox SET status = $2, payload_sealed = '', last_error = $3, finished_at = $4 WHERE id = $1 AND status = 'due'",
			id,
			status,
			error.slice(0, ERROR_MAX),
			atMs,
		);
	const insert = async (mail: NewMail, isForSomebody: boolean): Promise<void> => {
		const id = newId();
		const now = nowMs();
		const sealed = seal(JSON.stringify(mail), mailContext(id));
		await queries.run(
			`INSERT INTO mail_outbox (id, tenant_id, status, payload_sealed, attempts, next_attempt_at, last_error, created_at, finished_at)
			 VALUES ($1, $2, $3, $4, 0, $5, '', $6, $7)`,
			id,
			mail.tenantId,
			isForSomebody ? "due" : "dropped",
			isForSomebody ? sealed : "",
			now,
			now,
			isForSomebody ? null : now,
		);
	};
	return {
		put: (mail) => insert(mail, isReachable(mail.to)),
		putNothing: (mail) => insert(mail, false),
		async claimDue(now, limit, leaseMs) {
			const rows = await queries.all<OutboxRow>(
				`WITH due AS MATERIALIZED (SELECT id FROM mail_outbox WHERE status = 'due' AND next_attempt_at <= $1
				   ORDER BY next_attempt_at, id LIMIT $3 {{skip locked}})
				 UPDATE mail_outbox SET next_attempt_at = $2, attempts = attempts + 1 WHERE id IN (SELECT id FROM due)
				 RETURNING id, payload_sealed, attempts, created_at`,
				now,
				now + leaseMs,
				limit,
			);
			const claimed: ClaimedMail[] = [];
			for (const row of rows) {
				try {
					const mail = JSON.parse(open(row.payload_sealed, mailContext(row.id))) as NewMail;
					claimed.push({ ...mail, id: row.id, createdAtMs: row.created_at, attempts: row.attempts });
				} catch (error) {
					await finish(
						"failed",
						row.id,
						now,
						`payload cannot be opened: ${error instanceof Error ? error.message : "unknown"}`,
					);
				}
			}
			return claimed;
		},
		async extendLease({ id, attempts }, untilMs) {
			const changed = await queries.run(
				"UPDATE mail_outbox SET next_attempt_at = $3 WHERE id = $1 AND status = 'due' AND attempts = $2",
				id,
				attempts,
				untilMs,
			);
			return changed === 1;
		},
		async markSent(id, now) {
			await finish("sent", id, now, "");
		},
		async markRetry(id, nextAttemptAtMs, error) {
			await queries.run(
				"UPDATE mail_outbox SET next_attempt_at = $2, last_error = $3 WHERE id = $1 AND status = 'due'",
				id,
				nextAttemptAtMs,
				error.slice(0, ERROR_MAX),
			);
		},
		async postpone(id, nextAttemptAtMs, error) {
			await queries.run(
				"UPDATE mail_outbox SET next_attempt_at = $2, last_error = $3, attempts = attempts - 1 WHERE id = $1 AND status = 'due'",
				id,
				nextAttemptAtMs,
				error.slice(0, ERROR_MAX),
			);
		},
		async markFailed(id, now, error) {
			await finish("failed", id, now, error);
		},
		async nextDueAtMs() {
			const row = await queries.one<{ due: number | null }>(
				"SELECT min(next_attempt_at) AS due FROM mail_outbox WHERE status = 'due'",
			);
			return row?.due ?? undefined;
		},
		async countWaiting() {
			const row = await queries.one<{ total: number }>(
				"SELECT count(*) AS total FROM mail_outbox WHERE status = 'due'",
			);
			return row?.total ?? 0;
		},
	};
}
