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
			hashes: () => ({ running: 1, waiting: 2 }),
			databaseFailures: () => 7,
		});
		const text = await metrics.render();
		assert.match(text, /^latchkey_mail_due Nan$/im);
		assert.match(text, /^latchkey_mail_transport_up 0$/m);
		assert.match(text, /^latchkey_hash_queue_depth 2$/m);
		assert.match(text, /^latchkey_database_failures_total 7$/m);
		// Read again it has not been added up.
		assert.match(await metrics.render(), /^latchkey_database_failures_total 7$/m);
	});

	it("count the refusals of a limiter that has to ask elsewhere too", async () => {
		const metrics = createMetrics({
			version: "1.2.3",
			mail: () => quiet,
			mailWaiting: () => Promise.resolve(0),
			hashes: () => ({ running: 0, waiting: 0 }),
			databaseFailures: () => 0,
		});
		const refused = { allowed: false, limit: 1, remaining: 0, resetSeconds: 9 };
		const limiter = metrics.counted({ take: () => Promise.resolve(refused) }, "service");
		assert.deepEqual(await limiter.take("key"), refused);
		assert.match(await metrics.render(), /^latchkey_rate_limit_refusals_total\{scope="service"\} 1$/m);
	});
});
