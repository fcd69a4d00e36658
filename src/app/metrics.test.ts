import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createMetrics } from "./metrics.ts";

const quiet = { sent: 0, retried: 0, failed: 0, underWay: 0, isTransportAway: true };

describe("metrics", () => {
	it("are readable while the database is away", async () => {
		const metrics = createMetrics({
			version: "1.2.3",
			mail: () => quiet,
			mailWaiting: () => Promise.reject(new Error("away")),
			mailOldestAgeSeconds: () => Promise.reject(new Error("away")),
			hashes: () => ({ running: 1, waiting: 2 }),
			databaseFailures: () => 7,
			rateLimits: () => ({ isLocal: true, countedLocally: 3 }),
			connections: () => ({ open: 4, freed: 5, refused: 6 }),
			events: () => [
				{ measure: "sign_in", code: "", total: 8 },
				{ measure: "sign_in_refused", code: "login.locked", total: 9 },
				{ measure: "signed_call_refused", code: "scope.missing", total: 10 },
			],
			sessions: () => Promise.reject(new Error("away")),
		});
		const text = await metrics.render();
		assert.match(text, /^latchkey_mail_due Nan$/im);
		assert.match(text, /^latchkey_mail_oldest_age_seconds Nan$/im);
		assert.match(text, /^latchkey_mail_transport_up 0$/m);
		assert.match(text, /^latchkey_hash_queue_depth 2$/m);
		assert.match(text, /^latchkey_database_failures_total 7$/m);
		assert.match(text, /^latchkey_rate_limit_local 1$/m);
		assert.match(text, /^latchkey_rate_limit_local_requests_total 3$/m);
		assert.match(text, /^latchkey_connections_open 4$/m);
		assert.match(text, /^latchkey_connections_freed_total 5$/m);
		assert.match(text, /^latchkey_connections_refused_total 6$/m);
		assert.match(text, /^latchkey_sessions Nan$/im);
		assert.match(text, /^latchkey_sign_ins_total\{outcome="success"\} 8$/m);
		assert.match(text, /^latchkey_sign_ins_total\{outcome="login.locked"\} 9$/m);
		assert.match(text, /^latchkey_signed_calls_total\{outcome="scope.missing"\} 10$/m);
		// A second read does not add to the first.
		assert.match(await metrics.render(), /^latchkey_database_failures_total 7$/m);
	});
});
