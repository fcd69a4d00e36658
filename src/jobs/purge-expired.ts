// Deletes what has expired: sessions, devices known once, used refresh tokens, mailed codes and links, counted failures, nonces, webhook deliveries, third-party sign-ins.

import type {
	EmailCodeStore,
	KnownDeviceStore,
	LoginFailureStore,
	PendingSignInStore,
	SessionStore,
} from "../features/auth/model.ts";
import { NONCE_KEPT_SECONDS, type NonceStore, SIGNATURE_WINDOW_SECONDS } from "../features/external/model.ts";
import type { MailAllowanceStore } from "../features/mail/model.ts";
import type { PasskeyChallengeStore, TotpStore } from "../features/mfa/model.ts";
import type { RecoveryLinkStore } from "../features/recovery/model.ts";
import type { ThirdPartyAttemptStore, TicketStore } from "../features/third-party/model.ts";
import { WEBHOOK_DELIVERIES_KEPT_MS, type WebhookDeliveryStore } from "../features/webhooks/model.ts";
import { type Clock, SECOND_MS } from "../kernel/clock.ts";
import type { Log } from "../kernel/log.ts";
import type { Persistence } from "../kernel/transaction.ts";

export interface PurgeStores {
	readonly sessions: SessionStore;
	readonly emailCodes: EmailCodeStore;
	readonly knownDevices: KnownDeviceStore;
	readonly loginFailures: LoginFailureStore;
	readonly mailAllowances: MailAllowanceStore;
	readonly recoveryLinks: RecoveryLinkStore;
	readonly nonces: NonceStore;
	readonly passkeyChallenges: PasskeyChallengeStore;
	readonly pendingSignIns: PendingSignInStore;
	readonly totp: TotpStore;
	readonly webhookDeliveries: WebhookDeliveryStore;
	readonly thirdPartyAttempts: ThirdPartyAttemptStore;
	readonly tickets: TicketStore;
}

export interface PurgeOptions {
	readonly db: Persistence<PurgeStores>;
	readonly clock: Clock;
	readonly log: Log;
	/** Rows of a kind deleted in one transaction: small, so that requests get their turn in between (used refresh tokens go with their session). Default 100. */
	readonly batchSize?: number;
	/** Transactions of a kind in one run; what is left waits for the next. Default 500. */
	readonly maxBatches?: number;
}

const NONCE_BATCH_FACTOR = 20;

type Purge = (stores: PurgeStores, nowMs: number, limit: number) => Promise<number>;

/** Correctness never waits for these: every look-up asks for the time itself, and the row of a lock is never deleted. */
const PURGES: Readonly<Record<string, Purge>> = {
	sessions: ({ sessions }, nowMs, limit) => sessions.purgeExpired(nowMs, limit),
	email_codes: ({ emailCodes }, nowMs, limit) => emailCodes.purge(nowMs, limit),
	pending_sign_ins: ({ pendingSignIns }, nowMs, limit) => pendingSignIns.purge(nowMs, limit),
	passkey_challenges: ({ passkeyChallenges }, nowMs, limit) => passkeyChallenges.purge(nowMs, limit),
	totp_factors: ({ totp }, nowMs, limit) => totp.purge(nowMs, limit),
	login_failures: ({ loginFailures }, nowMs, limit) => loginFailures.purge(nowMs, limit),
	known_devices: ({ knownDevices }, nowMs, limit) => knownDevices.purge(nowMs, limit),
	mail_allowances: ({ mailAllowances }, nowMs, limit) => mailAllowances.purge(nowMs, limit),
	recovery_links: ({ recoveryLinks }, nowMs, limit) => recoveryLinks.purge(nowMs, limit),
	// They come by the thousand a second, and a range of them goes as fast as a row of the others.
	nonces: ({ nonces }, nowMs, limit) => nonces.purge(nonceLimitSeconds(nowMs), limit),
	webhook_deliveries: ({ webhookDeliveries }, nowMs, limit) =>
		webhookDeliveries.purge(nowMs - WEBHOOK_DELIVERIES_KEPT_MS, limit),
	third_party_attempts: ({ thirdPartyAttempts }, nowMs, limit) => thirdPartyAttempts.purge(nowMs, limit),
	third_party_tickets: ({ tickets }, nowMs, limit) => tickets.purge(nowMs, limit),
};

/** Nonces signed before this are purged: their requests have been too old for longer than any clock is set back. */
function nonceLimitSeconds(nowMs: number): number {
	return Math.floor(nowMs / SECOND_MS) - SIGNATURE_WINDOW_SECONDS - NONCE_KEPT_SECONDS;
}

/** For the list of jobs. One kind that fails does not keep the others. */
export function createPurgeJob(options: PurgeOptions) {
	return {
		name: "purge-expired",
		everyMs: 60 * SECOND_MS,
		run: () => purgeExpired(options),
	};
}

async function purgeExpired(options: PurgeOptions): Promise<void> {
	for (const [kind, purge] of Object.entries(PURGES)) {
		try {
			const deleted = await purgeKind(options, kind, purge);
			if (deleted > 0) options.log.debug({ kind, deleted }, "expired rows deleted");
		} catch (error) {
			options.log.error({ kind, err: error }, "expired rows could not be deleted");
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
