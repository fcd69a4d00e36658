// Notifies the owners of API clients 30 and 7 days before their credentials expire.

import { named } from "../../../domain/audit.ts";
import { systemCaller } from "../../../domain/caller.ts";
import type { ExpiringClient } from "../../../domain/client-notice.ts";
import { isoTime } from "../../../kernel/clock.ts";
import type { Needs } from "../../platform.ts";
import { addressMail } from "../steps/address-mail.ts";

type Needed = Needs<"clientNotices" | "audit" | "mail", "clock" | "wakeMail">;

/** Clients read per query. */
const BATCH = 100;

/**
 * Sends each notice once per expiry time: its row, the audit event, and the mail are written in one transaction, and one
 * INSERT decides between nodes. A changed expiry time is notified again.
 *
 * @returns the number of mails added to the outbox
 */
export async function notifyExpiring({ db, clock, wakeMail }: Needed): Promise<number> {
	let sent = 0;
	for (;;) {
		const now = clock();
		const due = await db.stores.clientNotices.listDue(now, BATCH);
		let claimed = 0;
		for (const client of due) if (await notify(db, client, now)) claimed += 1;
		if (claimed > 0) wakeMail();
		sent += claimed;
		// A short batch is the last one. If this node claimed none, another node is sending them.
		if (due.length < BATCH || claimed === 0) return sent;
	}
}

async function notify(db: Needed["db"], client: ExpiringClient, nowMs: number): Promise<boolean> {
	const { id, tenantId, owner, daysBefore } = client;
	const expiresAt = isoTime(client.expiresAtMs);
	return db.transaction(async ({ clientNotices, audit, mail }) => {
		if (!(await clientNotices.claim(client, nowMs))) return false;
		const details = { expires_at: expiresAt, days_before: daysBefore };
		await audit.append(
			systemCaller(tenantId),
			"api_client.expiry_notified",
			named("api_client", id, client.name),
			details,
		);
		const { name: ownerName } = owner;
		const message = { kind: "api_client_expires", ownerName, clientName: client.name, expiresAt } as const;
		await mail.put(addressMail(tenantId, owner, message));
		return true;
	});
}
