import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setTimeout } from "node:timers/promises";
import { Registry } from "prom-client";
import type { Queries } from "../adapters/sql/engine.ts";
import { collectProcessMetrics, createMetrics } from "./metrics.ts";
import { observeOperation } from "./operation-metrics.ts";

const quiet = { sent: 0, retried: 0, failed: 0, underWay: 0, isTransportAway: true };
const unused: Queries = {
	one: () => assert.fail(),
	all: () => assert.fail(),
	run: () => assert.fail(),
};

describe("metrics", () => {
	it("are readable while the database is unavailable", async () => {
		const metrics = createMetrics({
			version: "1.2.3",
			mail: () => quiet,
			mailWaiting: () => Promise.reject(new Error("away")),
			mailOldestAgeSeconds: () => Promise.reject(new Error("away")),
			hashes: () => ({ running: 1, waiting: 2 }),
			database: {
				failures: 7,
				slowQueries: 18,
				pool: { busy: 11, idle: 12, waiting: 13, limit: 25 },
				queries: { ...unused, one: () => Promise.reject(new Error("away")) },
			},
			isDatabaseDamaged: () => true,
			databaseServer: () => "7713055295217318041/0000001F",
			webhooks: () => Promise.reject(new Error("away")),
			logoutNotices: () => Promise.reject(new Error("away")),
			logoutStats: () => ({ sent: 14, retried: 15, failed: 16 }),
			reviews: () => Promise.reject(new Error("away")),
			lastBackup: () => Promise.reject(new Error("away")),
			certificateValidToMs: () => 1_700_000_000_000,
			clock: () => 0,
			monotonicMs: () => 0,
			rateLimits: () => ({ isLocal: true, countedLocally: 3 }),
			connections: () => ({ open: 4, freed: 5, refused: 6 }),
			events: () => [
				{ measure: "sign_in", code: "", total: 8 },
				{ measure: "sign_in_refused", code: "login.locked", total: 9 },
				{ measure: "signed_call_refused", code: "scope.missing", total: 10 },
				{ measure: "workload_authentication", code: "", total: 19 },
				{ measure: "workload_refused", code: "audience", total: 20 },
				{ measure: "token_exchange", code: "", total: 21 },
				{ measure: "token_exchange_refused", code: "invalid_grant", total: 22 },
				{ measure: "assertion_issue", code: "", total: 23 },
				{ measure: "assertion_redemption_refused", code: "invalid_scope", total: 24 },
			],
			buffers: [{ name: "api_client_uses", dropped: 17 }],
			sessions: () => Promise.reject(new Error("away")),
		});
		const text = await metrics.render();
		assert.match(text, /^latchkey_mail_due Nan$/im);
		assert.match(text, /^latchkey_mail_oldest_age_seconds Nan$/im);
		assert.match(text, /^latchkey_mail_transport_up 0$/m);
		assert.match(text, /^latchkey_hash_queue_depth 2$/m);
		assert.match(text, /^latchkey_database_failures_total 7$/m);
		assert.match(text, /^latchkey_database_slow_queries_total 18$/m);
		assert.match(text, /^latchkey_database_timeline 31$/m);
		assert.match(text, /^latchkey_database_damaged 1$/m);
		assert.match(text, /^latchkey_rate_limit_local 1$/m);
		assert.match(text, /^latchkey_rate_limit_local_requests_total 3$/m);
		assert.match(text, /^latchkey_connections_open 4$/m);
		assert.match(text, /^latchkey_connections_freed_total 5$/m);
		assert.match(text, /^latchkey_connections_refused_total 6$/m);
		assert.match(text, /^latchkey_sessions Nan$/im);
		assert.match(text, /^latchkey_sign_ins_total\{outcome="success"\} 8$/m);
		assert.match(text, /^latchkey_sign_ins_total\{outcome="login.locked"\} 9$/m);
		assert.match(text, /^latchkey_signed_calls_total\{outcome="scope.missing"\} 10$/m);
		assert.match(text, /^latchkey_workload_authentications_total\{outcome="success"\} 19$/m);
		assert.match(text, /^latchkey_workload_authentications_total\{outcome="audience"\} 20$/m);
		assert.match(text, /^latchkey_token_exchanges_total\{outcome="success"\} 21$/m);
		assert.match(text, /^latchkey_token_exchanges_total\{outcome="invalid_grant"\} 22$/m);
		assert.match(text, /^latchkey_assertions_issued_total\{outcome="success"\} 23$/m);
		assert.match(text, /^latchkey_assertions_redeemed_total\{outcome="invalid_scope"\} 24$/m);
		assert.match(text, /^latchkey_database_latency_seconds Nan$/im);
		assert.match(text, /^latchkey_database_connections\{state="busy"\} 11$/m);
		assert.match(text, /^latchkey_database_connections\{state="idle"\} 12$/m);
		assert.match(text, /^latchkey_database_connections_limit 25$/m);
		assert.match(text, /^latchkey_database_waiting 13$/m);
		assert.match(text, /^latchkey_webhook_due Nan$/im);
		assert.match(text, /^latchkey_webhook_oldest_age_seconds Nan$/im);
		assert.match(text, /^latchkey_webhook_overdue_seconds Nan$/im);
		assert.match(text, /^latchkey_logout_notice_due Nan$/im);
		assert.match(text, /^latchkey_backup_age_seconds Nan$/im);
		assert.match(text, /^latchkey_backup_size_bytes Nan$/im);
		assert.match(text, /^latchkey_logout_notice_sent_total 14$/m);
		assert.match(text, /^latchkey_logout_notice_retried_total 15$/m);
		assert.match(text, /^latchkey_logout_notice_failed_total 16$/m);
		assert.match(text, /^latchkey_records_dropped_total\{records="api_client_uses"\} 17$/m);
		assert.match(text, /^latchkey_certificate_expiry_timestamp_seconds 1700000000$/m);
		// A second read does not add to the first.
		assert.match(await metrics.render(), /^latchkey_database_failures_total 7$/m);
	});
	it("sample the event loop ten times a second", async () => {
		const registers = new Registry();
		collectProcessMetrics(registers);
		let lag = Number.POSITIVE_INFINITY;
		// Each read resets the samples; without a sample, the minimum is a huge number.
		while (lag > 1_000) {
			await setTimeout(300);
			lag = Number(/^nodejs_eventloop_lag_min_seconds (\S+)$/m.exec(await registers.metrics())?.[1]);
		}
		assert.ok(lag >= 0.095, String(lag));
	});
	it("measure deliveries from the round's start, and from when the attempt was due", async () => {
		const registry = new Registry();
		observeOperation([registry], {
			database: {
				failures: 0,
				slowQueries: 0,
				pool: undefined,
				queries: { ...unused, one: async () => undefined },
			},
			isDatabaseDamaged: () => false,
			databaseServer: () => undefined,
			webhooks: async () => ({ waiting: 3, oldestAtMs: 10_000, nextAtMs: 30_000 }),
			logoutNotices: async () => ({ waiting: 2, oldestAtMs: 5_000, nextAtMs: 94_000 }),
			logoutStats: () => ({ sent: 0, retried: 0, failed: 0 }),
			reviews: async () => ({ open: 3, overdue: 1, decided: 40, undecided: 2 }),
			lastBackup: async () => ({ atMs: 20_000, bytes: undefined }),
			certificateValidToMs: () => undefined,
			clock: () => 95_000,
			monotonicMs: () => 0,
		});
		const text = await registry.metrics();
		assert.match(text, /^latchkey_webhook_due 3$/m);
		assert.match(text, /^latchkey_webhook_oldest_age_seconds 85$/m);
		assert.match(text, /^latchkey_webhook_overdue_seconds 65$/m);
		assert.match(text, /^latchkey_logout_notice_due 2$/m);
		assert.match(text, /^latchkey_logout_notice_oldest_age_seconds 90$/m);
		assert.match(text, /^latchkey_logout_notice_overdue_seconds 1$/m);
		assert.match(text, /^latchkey_database_latency_seconds 0$/m);
		assert.match(text, /^latchkey_reviews_overdue 1$/m);
		assert.match(text, /^latchkey_review_items_undecided 2$/m);
		assert.match(text, /^latchkey_backup_age_seconds 75$/m);
		// Without HTTPS and with the embedded database there is nothing to show, and no 0 that would raise an alert.
		assert.doesNotMatch(text, /^latchkey_(certificate|database_connections|database_waiting|backup_size)/m);
	});
});
