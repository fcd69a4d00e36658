// Deletes expired rows: sessions, codes, links, counters, nonces, deliveries, and the other kinds of `PURGES`.

import { MAILS_KEPT_MS } from "../domain/mail.ts";
import { NONCE_KEPT_SECONDS, SIGNATURE_WINDOW_SECONDS } from "../domain/nonce.ts";
import type { Stores } from "../domain/stores.ts";
import { WEBHOOK_DELIVERIES_KEPT_MS } from "../domain/webhook-delivery.ts";
import type { Needs } from "../features/platform.ts";
import { SECOND_MS } from "../kernel/clock.ts";

/** The stores that purge by a time in their rows, by the kind in the log. */
const BY_TIME = {
	admin_keys: "adminKeys",
	test_clients: "apiClients",
	email_codes: "emailCodes",
	pending_sign_ins: "pendingSignIns",
	passkey_challenges: "passkeyChallenges",
	totp_factors: "totp",
	login_failures: "loginFailures",
	known_devices: "knownDevices",
	address_allowances: "allowances",
	refusal_notes: "refusalNotes",
	recovery_links: "recoveryLinks",
	refusals: "refusals",
	directory_events: "directories",
	statistics: "statistics",
	third_party_attempts: "thirdPartyAttempts",
	third_party_sign_ins: "thirdPartySignIns",
	oauth_records: "oauthRecords",
	oauth_grants: "oauthGrants",
	support_sessions: "supportSessions",
	reviews: "reviews",
} as const;

type Purged = (typeof BY_TIME)[keyof typeof BY_TIME] | "sessions" | "nonces" | "mail" | "webhookDeliveries";

export type PurgeOptions = Needs<Purged, "clock" | "log"> & {
	/**
	 * Rows of a kind deleted in one transaction: few, so that requests run in between. Used refresh tokens are deleted
	 * with their session. Default 100.
	 */
	readonly batchSize?: number;
	/** Transactions per kind and run; the rest waits for the next run. Default 500. */
	readonly maxBatches?: number;
};

const NONCE_BATCH_FACTOR = 20;

type Purge = (stores: Stores<Purged>, nowMs: number, limit: number) => Promise<number>;

/**
 * Correctness does not depend on these: every look-up compares the time, and rows that hold a lock are never deleted.
 */
const PURGES: Readonly<Record<string, Purge>> = {
	// First: ending sessions notifies the clients of their grants, which are purged by their own time.
	sessions: ({ sessions }, nowMs, limit) => sessions.purgeExpired(nowMs, limit),
	...Object.fromEntries(Object.entries(BY_TIME).map(([kind, name]) => [kind, purgeOf(name)])),
	address_mails: ({ emailCodes }, nowMs, limit) => emailCodes.purgeSends(nowMs, limit),
	// Thousands arrive per second, and a range of them is deleted as fast as one row of the others.
	nonces: ({ nonces }, nowMs, limit) => nonces.purge(nonceLimitSeconds(nowMs), limit),
	mails: ({ mail }, nowMs, limit) => mail.purge(nowMs - MAILS_KEPT_MS, limit),
	webhook_deliveries: ({ webhookDeliveries }, nowMs, limit) =>
		webhookDeliveries.purge(nowMs - WEBHOOK_DELIVERIES_KEPT_MS, limit),
};

function purgeOf(name: (typeof BY_TIME)[keyof typeof BY_TIME]): Purge {
	return (stores, nowMs, limit) => stores[name].purge(nowMs, limit);
}

/** Nonces signed before this are purged: their requests are too old, even if a clock is set back. */
function nonceLimitSeconds(nowMs: number): number {
	return Math.floor(nowMs / SECOND_MS) - SIGNATURE_WINDOW_SECONDS - NONCE_KEPT_SECONDS;
}

const NAME = "purge-expired";

/** If one kind fails, the others are still purged. */
export function createPurgeJob(options: PurgeOptions) {
	return {
		name: NAME,
		everyMs: 60 * SECOND_MS,
		run: () => purgeExpired(options),
	};
}

async function purgeExpired(options: PurgeOptions): Promise<void> {
	for (const [kind, purge] of Object.entries(PURGES)) {
		try {
			const deleted = await purgeKind(options, kind, purge);
			if (deleted > 0) options.log.debug({ job: NAME, kind, deleted }, "expired rows deleted");
		} catch (error) {
			options.log.error({ job: NAME, kind, err: error }, "expired rows could not be deleted");
		}
	}
}

async function purgeKind(
	{ db, clock, batchSize = 100, maxBatches = 500 }: PurgeOptions,
	kind: string,
	purge: Purge,
): Promise<number> {
	const limit = kind === "nonces" ? batchSize * NONCE_BATCH_FACTOR : batchSize;
	let deleted = 0;
	for (let batch = 0; batch < maxBatches; batch++) {
		const now = clock();
		const count = await db.transaction((stores) => purge(stores, now, limit));
		deleted += count;
		if (count < limit) break;
	}
	return deleted;
}
