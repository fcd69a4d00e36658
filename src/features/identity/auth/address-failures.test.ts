import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { openTestDatabase, type TestDatabase } from "../../../../test/harness/databases/database.ts";
import { ADDRESS_FAILURES } from "../../../domain/sign-in-attempt.ts";
import { AppError } from "../../../kernel/error.ts";
import { AddressFailures } from "./address-failures.ts";

describe("AddressFailures", () => {
	let database: TestDatabase;
	before(async () => {
		database = await openTestDatabase();
	});
	after(() => database.close());

	/** One node on the shared database, with the number of its transactions. */
	function node() {
		const { db, clock } = database;
		const counts = { transactions: 0 };
		const firstTransaction = Promise.withResolvers<void>();
		const counted: typeof db = {
			stores: db.stores,
			async transaction(work) {
				const result = await db.transaction(work);
				counts.transactions++;
				firstTransaction.resolve();
				return result;
			},
		};
		const failures = new AddressFailures({ db: counted, clock: clock.now });
		return { failures, counts, hasStarted: firstTransaction.promise };
	}

	async function run<T>({ failures }: ReturnType<typeof node>, address: string, work: () => Promise<T>) {
		const taken = await failures.take(address);
		if ("refusal" in taken) return taken;
		const [outcome] = await Promise.allSettled([work()]);
		await taken.end(outcome.status === "rejected");
		if (outcome.status === "rejected") throw outcome.reason;
		return { result: outcome.value };
	}
	const wrong = () => Promise.reject(new AppError("credentials.invalid", "wrong"));

	it("waits for correct passwords in progress on another node", async () => {
		const address = "192.0.2.1";
		const [busy, late] = [node(), node()];
		const release = Promise.withResolvers<void>();
		const allVerify = Promise.withResolvers<void>();
		let verifying = 0;
		const underWay = Array.from({ length: ADDRESS_FAILURES.count }, () =>
			run(busy, address, () => {
				verifying++;
				if (verifying === ADDRESS_FAILURES.count) allVerify.resolve();
				return release.promise;
			}),
		);
		await allVerify.promise;
		const attempt = run(late, address, async () => "right");
		await late.hasStarted;
		release.resolve();
		assert.deepEqual(await attempt, { result: "right" });
		await Promise.all(underWay);
	});

	it("refuses immediately if its own failures caused the refusal", async () => {
		const address = "192.0.2.2";
		const own = node();
		for (let failure = 0; failure < ADDRESS_FAILURES.count; failure++) {
			await assert.rejects(run(own, address, wrong), { code: "credentials.invalid" });
			database.clock.advance(300);
		}
		const before = own.counts.transactions;
		const outcome = await run(own, address, async () => "right");
		assert.ok("refusal" in outcome && outcome.refusal.limit === "address");
		assert.equal(own.counts.transactions - before, 1);
	});

	it("waits once for the failures of another node, then refuses immediately", async () => {
		const address = "192.0.2.3";
		const [other, late] = [node(), node()];
		for (let failure = 0; failure < ADDRESS_FAILURES.count; failure++)
			await assert.rejects(run(other, address, wrong), { code: "credentials.invalid" });
		assert.ok("refusal" in (await run(late, address, async () => "right")));
		database.clock.advance(1_000);
		const before = late.counts.transactions;
		assert.ok("refusal" in (await run(late, address, async () => "right")));
		assert.equal(late.counts.transactions - before, 1);
	});
});
