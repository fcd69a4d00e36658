// Tells the owners of API clients, 30 and 7 days before, that their credentials will expire.

import { type Clock, isoTime } from "../../kernel/clock.ts";
import { SYSTEM_ORIGIN } from "../../kernel/origin.ts";
import type { Persistence } from "../../kernel/transaction.ts";
import type { AuditLog } from "../audit/model.ts";
import type { MailOutbox } from "../mail/model.ts";
import type { ClientNoticeStore, ExpiringClient } from "./model.ts";

export interface NotifyExpiringDeps {
	readonly db: Persistence<{ clientNotices: ClientNoticeStore; audit: AuditLog; mail: MailOutbox }>;
	readonly clock: Clock;
	wakeMail(): void;
}

/** Clients looked at in one go; a busy night's worth. */
const BATCH = 100;

/**
 * Each notice once for an expiry: its row, the audit row and the mail are one transaction, and one INSERT decides
 * between nodes. An expiry that is moved gets notices of its own.
 *
 * @returns how many mails were put into the outbox.
 */
export async function notifyExpiring({ db, clock, wakeMail }: NotifyExpiringDeps): Promise<number> {
	let sent = 0;
	for (;;) {
		const now = clock();
		const due = await db.stores.clientNotices.listDue(now, BATCH);
		let claimed = 0;
		for (const client of due) if (await notify(db, client, now)) claimed += 1;
		if (claimed > 0) wakeMail();
		sent += claimed;
		// Fewer than asked for: that was all. None claimed: another node is at it.
		if (due.length < BATCH || claimed === 0) return sent;
	}
}

async function notify(db: NotifyExpiringDeps["db"], client: ExpiringClient, nowMs: number): Promise<boolean> {
	const { id, tenantId, owner, daysBefore } = client;
	const expiresAt = isoTime(client.expiresAtMs);
	return db.transaction(async ({ clientNotices, audit, mail }) => {
		if (!(await clientNotices.claim(client, nowMs))) return false;
		await audit.append({
			tenantId,
			actor: "system",
			action: "api_client.expiry_notified",
			target: `api_client:${id}`,
			origin: SYSTEM_ORIGIN,
			details: { expires_at: expiresAt, days_before: daysBefore },
		});
		await mail.put({
			tenantId,
			to: owner.email,
			toName: owner.name,
			locale: owner.locale,
			message: {
				kind: "api_client_expires",
				ownerName: owner.name,
				clientName: client.name,
				expiresAt,
			},
		});
		return true;
	});
}
