// Notifies relying parties of revoked sessions: each at least once, none delayed by another.

import type { ClaimedLogoutNotice, DueLogoutClient } from "../domain/logout-notice.ts";
import { WebhookSendError, type WebhookSender } from "../domain/webhook-delivery.ts";
import type { Needs } from "../features/platform.ts";
import { type AttemptOutcome, nextAttemptAtMs } from "../features/record/webhooks/settle-delivery.ts";
import type { Tracing } from "../kernel/tracing.ts";
import { DeliveryLoop } from "./delivery-loop.ts";
import { DeliveryPlaces } from "./delivery-places.ts";
import { elapsedMs, inLogoutSpan } from "./delivery-span.ts";

export type LogoutDeliveryOptions = Needs<"logoutNotices", "clock" | "log" | "openId"> & {
	readonly sender: WebhookSender;
	/** Undefined if no traces are sent. */
	readonly tracing?: Tracing | undefined;
	/** How often to look for due notices. Default 500 ms. */
	readonly pollMs?: number;
	/** Returns 0 ≤ x < 1. */
	readonly random?: () => number;
};

/** Counts since this process started. */
export interface LogoutDeliveryStats {
	readonly sent: number;
	readonly retried: number;
	/** Abandoned after three days. */
	readonly failed: number;
}

interface LogoutDelivery {
	readonly loop: DeliveryLoop;
	readonly stats: () => LogoutDeliveryStats;
}

/** Longer than an attempt and its recording: if a process dies, its notices become due again after this. */
const LEASE_MS = 10_000;
/** An attempt takes at most 5 s. */
const STOP_GRACE_MS = 8_000;

/** The loop for logout notices: call `start` once, then `stop` once. */
export function createLogoutDelivery(options: LogoutDeliveryOptions): LogoutDelivery {
	const { db, clock, log, pollMs = 500 } = options;
	const counts = { delivered: 0, retried: 0, given_up: 0, overtaken: 0 };
	const places = new DeliveryPlaces();
	const loop = new DeliveryLoop({
		clock,
		log,
		pollMs,
		stopGraceMs: STOP_GRACE_MS,
		failure: "logout notices cannot be read",
		async claimDue() {
			const due = await db.stores.logoutNotices.listDue(clock());
			for (const client of due.toSorted((a, b) => Number(a.isFailing) - Number(b.isFailing))) {
				const { id, uri } = client;
				if (uri === null) {
					await db.stores.logoutNotices.drop(id);
					continue;
				}
				const free = places.freeFor(client);
				if (free <= 0 || !loop.isRunning) continue;
				const claimed = await db.transaction(({ logoutNotices }) =>
					logoutNotices.claim(id, clock(), free, LEASE_MS),
				);
				for (const notice of claimed)
					loop.deliver(
						deliver({ ...client, uri }, notice, options, (settled) => counts[settled]++).finally(
							places.take(client),
						),
					);
			}
		},
	});
	const stats = () => ({ sent: counts.delivered, retried: counts.retried, failed: counts.given_up });
	return { loop, stats };
}

/** `overtaken`: another node has since claimed the notice. */
type Settled = "delivered" | "retried" | "given_up" | "overtaken";

type Reached = DueLogoutClient & { readonly uri: string };

/** Never rejects. */
async function deliver(
	client: Reached,
	notice: ClaimedLogoutNotice,
	options: LogoutDeliveryOptions,
	count: (settled: Settled) => void,
): Promise<void> {
	const { log, tracing } = options;
	const { clientId: client_id, userId: user_id, tenantId: tenant_id, attempts } = notice;
	const about = { client_id, user_id, tenant_id, attempts };
	const startMs = performance.now();
	try {
		const outcome = await inLogoutSpan(tracing, notice, () => attempt(client, notice, options));
		const ms = elapsedMs(startMs);
		const settled = await settle(notice, outcome, options);
		count(settled);
		const fields = { ...about, status: outcome.statusCode ?? undefined, ms, error: outcome.error };
		if (settled === "given_up") log.warn(fields, "a relying party could not be notified of a sign-out");
		else log.debug(fields, `logout notice ${settled}`);
	} catch (error) {
		// The notice is due again when its lease expires.
		log.error({ ...about, err: error }, "a logout notice could not be sent or recorded");
	}
}

/** The responses that accept a token: section 2.8. @throws Error when the token cannot be signed. */
async function attempt(
	{ uri, idTokenAlg }: Reached,
	notice: ClaimedLogoutNotice,
	{ openId, sender }: LogoutDeliveryOptions,
): Promise<AttemptOutcome> {
	const token = await openId.signLogoutToken(notice, idTokenAlg);
	const headers = {
		"content-type": "application/x-www-form-urlencoded",
		"user-agent": "latchkey-logout",
	};
	try {
		const body = new URLSearchParams({ logout_token: token }).toString();
		const { statusCode, retryAfterSeconds } = await sender.send({ url: uri, headers, body });
		const error = statusCode >= 200 && statusCode < 300 ? "" : `answered ${statusCode}`;
		return { statusCode, retryAfterSeconds, error };
	} catch (error) {
		if (error instanceof WebhookSendError)
			return { statusCode: null, retryAfterSeconds: undefined, error: error.message };
		throw error;
	}
}

async function settle(
	notice: ClaimedLogoutNotice,
	{ error, retryAfterSeconds }: AttemptOutcome,
	{ db, clock, random = Math.random }: LogoutDeliveryOptions,
): Promise<Settled> {
	const { logoutNotices } = db.stores;
	if (error === "") return (await logoutNotices.finish(notice)) ? "delivered" : "overtaken";
	const round = { roundAttempts: notice.attempts, giveUpAtMs: notice.giveUpAtMs };
	const nextAtMs = nextAttemptAtMs(round, clock(), retryAfterSeconds, random);
	if (nextAtMs === undefined) return (await logoutNotices.finish(notice)) ? "given_up" : "overtaken";
	return (await logoutNotices.retry(notice, nextAtMs, error)) ? "retried" : "overtaken";
}
