// Notifies relying parties of revoked sessions: each at least once, none delayed by another.

import type { ClaimedLogoutNotice, DueLogoutClient } from "../domain/logout-notice.ts";
import { WebhookSendError } from "../domain/webhook-delivery.ts";
import type { Needs } from "../features/platform.ts";
import { type AttemptOutcome, nextAttemptAtMs } from "../features/record/webhooks/settle-delivery.ts";
import type { DeliveryLoop } from "./delivery-loop.ts";
import { createReceiverLoop, LEASE_MS, type ReceiverDelivery } from "./delivery-slots.ts";
import { elapsedMs, inAttemptSpan } from "./delivery-span.ts";

export type LogoutDeliveryOptions = Needs<"logoutNotices", "clock" | "log" | "openId"> & ReceiverDelivery;

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

export function createLogoutDelivery(options: LogoutDeliveryOptions): LogoutDelivery {
	const { db, clock, log, pollMs } = options;
	const counts = { delivered: 0, retried: 0, abandoned: 0, overtaken: 0 };
	const loop = createReceiverLoop({
		clock,
		log,
		pollMs,
		failure: "logout notices cannot be read",
		listDue: () => db.stores.logoutNotices.listDue(clock()),
		async claim(client, limit) {
			const { id, uri } = client;
			if (uri === null) {
				await db.stores.logoutNotices.drop(id);
				return [];
			}
			const claimed = await db.transaction(({ logoutNotices }) =>
				logoutNotices.claim(id, clock(), limit, LEASE_MS),
			);
			return claimed.map((notice) => ({ receiver: { ...client, uri }, notice }));
		},
		deliver: (_client, { receiver, notice }) =>
			deliver(receiver, notice, options, (settled) => counts[settled]++),
	});
	const stats = () => ({ sent: counts.delivered, retried: counts.retried, failed: counts.abandoned });
	return { loop, stats };
}

/** `overtaken`: another node has since claimed the notice. */
type Settled = "delivered" | "retried" | "abandoned" | "overtaken";

type Receiver = DueLogoutClient & { readonly uri: string };

/** Never rejects. */
async function deliver(
	client: Receiver,
	notice: ClaimedLogoutNotice,
	options: LogoutDeliveryOptions,
	count: (settled: Settled) => void,
): Promise<void> {
	const { log, tracing } = options;
	const { clientId: client_id, userId: user_id, tenantId: tenant_id, attempts } = notice;
	const about = { client_id, user_id, tenant_id, attempts };
	const startMs = performance.now();
	try {
		// The attributes omit the session and the user.
		const attributes = { "latchkey.client_id": client_id, "latchkey.attempts": attempts };
		const outcome = await inAttemptSpan(tracing, "logout notice", attributes, () =>
			attempt(client, notice, options),
		);
		const ms = elapsedMs(startMs);
		const settled = await settle(notice, outcome, options);
		count(settled);
		const fields = { ...about, status: outcome.statusCode ?? undefined, ms, error: outcome.error };
		if (settled === "abandoned") log.warn(fields, "a relying party could not be notified of a sign-out");
		else log.debug(fields, `logout notice ${settled}`);
	} catch (error) {
		// The notice is due again when its lease expires.
		log.error({ ...about, err: error }, "a logout notice could not be sent or recorded");
	}
}

/** Any 2xx response accepts the token (section 2.8). @throws Error if the token cannot be signed. */
async function attempt(
	{ uri, idTokenAlg }: Receiver,
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
	if (nextAtMs === undefined) return (await logoutNotices.finish(notice)) ? "abandoned" : "overtaken";
	return (await logoutNotices.retry(notice, nextAtMs, error)) ? "retried" : "overtaken";
}
