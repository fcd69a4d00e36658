import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { testDatabase } from "../../../../test/harness/databases/database.ts";
import { ADDRESS_FAILURES } from "../../../domain/sign-in-attempt.ts";
import { AppError } from "../../../kernel/error.ts";
import { PasswordAttempts } from "./password-attempts.ts";

describe("attempts of one address at several names", () => {
	const database = testDatabase();

	/** One node on the shared database, with the number of its transactions. */
	function node(wait?: () => Promise<unknown>) {
		const { db, clock } = database;
		const counts = { transactions: 0 };
		const counted: typeof db = {
			stores: db.stores,
			async transaction(work) {
				const result = await db.transaction(work);
				counts.transactions++;
				return result;
			},
		};
		const needs = { db: counted, clock: clock.now, passwords: { checkRoom: () => undefined } };
		return { attempts: new PasswordAttempts(needs, wait), counts };
	}

	let names = 0;
	async function run<T>({ attempts }: ReturnType<typeof node>, ip: string, work: () => Promise<T>) {
		const name = `name:${++names}`;
		const attempt = { tenantId: database.tenantId, name, account: name, ip };
		return attempts.run(attempt, work).then(
			(result) => ({ result }),
			(error: unknown) => {
				if (!(error instanceof AppError) || error.code !== "login.too_many") throw error;
				assert.match(error.message, /from your address/);
				return { refusal: error };
			},
		);
	}
	const wrong = () => Promise.reject(new AppError("credentials.invalid", "wrong"));

	it("waits for correct passwords in progress on another node", async () => {
		const address = "192.0.2.1";
		const busy = node();
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
		const late = node(() => {
			release.resolve();
			return Promise.all(underWay);
		});
		assert.deepEqual(await run(late, address, async () => "right"), { result: "right" });
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
		assert.ok("refusal" in outcome);
		assert.equal(own.counts.transactions - before, 1);
	});

	it("waits once for the failures of another node, then refuses immediately", async () => {
		const address = "192.0.2.3";
		const [other, late] = [node(), node(async () => undefined)];
		for (let failure = 0; failure < ADDRESS_FAILURES.count; failure++)
			await assert.rejects(run(other, address, wrong), { code: "credentials.invalid" });
		assert.ok("refusal" in (await run(late, address, async () => "right")));
		database.clock.advance(1_000);
		const before = late.counts.transactions;
		assert.ok("refusal" in (await run(late, address, async () => "right")));
		assert.equal(late.counts.transactions - before, 1);
	});
});
