import assert from "node:assert/strict";
import { it } from "node:test";
import { storeClient } from "../../test/harness/access/api-client-row.ts";
import { storedNonces } from "../../test/harness/databases/claimed-nonces.ts";
import { onEachEngine } from "../../test/harness/databases/each-engine.ts";
import { TEST_APP_ID } from "../domain/api-client.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "../kernel/clock.ts";
import { newId } from "../kernel/id.ts";
import type { Log } from "../kernel/log.ts";
import { createPurgeJob } from "./purge-expired.ts";

onEachEngine("createPurgeJob", (database) => {
	const errors: object[] = [];
	const quiet = () => undefined;
	const log: Log = {
		isDebug: true,
		debug: quiet,
		info: quiet,
		warn: quiet,
		error: (fields) => void errors.push(fields),
	};

	const run = (batches: { batchSize?: number; maxBatches?: number } = {}) =>
		createPurgeJob({ db: database.db, clock: database.clock.now, log, ...batches }).run();
	const rowsIn = async (table: string): Promise<number> =>
		(await database.engine.queries.one<{ total: number }>(`SELECT count(*) AS total FROM ${table}`))?.total ??
		0;
	const nonceCount = async (): Promise<number> =>
		(
			await storedNonces(async (sql) =>
				(await database.engine.queries.all<{ value: string }>(sql)).map(({ value }) => value),
			)
		).size;
	const addSession = (userId: string, lifetimeMs: number) => {
		const now = database.clock.now();
		return database.db.transaction(async ({ sessions }) => {
			const id = newId(now);
			await sessions.insert({
				id,
				tenantId: database.tenantId,
				userId,
				appId: null,
				generation: 0,
				secretDigest: "",
				rotatedAtMs: now,
				refreshExpiresAtMs: now + lifetimeMs,
				absoluteExpiresAtMs: now + lifetimeMs,
				authenticatedAtMs: now,
				amr: ["pwd"],
				provider: null,
				ip: "",
				userAgent: "",
				createdAtMs: now,
				lastUsedAtMs: now,
			});
		});
	};

	it("deletes expired sign-ins, challenges, and enrollments, and keeps pending ones", async () => {
		const { id: userId } = await database.addUser({ username: "waiting" });
		const { tenantId } = database;
		const now = database.clock.now();
		const times = [now + MINUTE_MS, now + HOUR_MS];
		await database.db.transaction(async ({ pendingSignIns, passkeyChallenges, totp }) => {
			for (const expiresAtMs of times) {
				const digest = `digest ${expiresAtMs}`;
				const person = { tenantId, userId, appId: null, amr: ["pwd"], provider: null, enrolment: false };
				await pendingSignIns.insert({ ...person, tokenDigest: digest, expiresAtMs, createdAtMs: now });
				const place = { tenantId, purpose: "sign_in", subject: "" } as const;
				await passkeyChallenges.insert({ ...place, challengeDigest: digest, expiresAtMs });
			}
			const factor = { id: newId(now), tenantId, userId, secretSealed: "sealed", createdAtMs: now };
			await totp.putPending(factor, now + MINUTE_MS);
		});
		database.clock.advance(MINUTE_MS);
		await run();
		for (const [table, left] of [
			["pending_sign_ins", 1],
			["passkey_challenges", 1],
			["totp_factors", 0],
		] as const)
			assert.equal(await rowsIn(table), left, table);
		assert.deepEqual(errors, []);
	});

	it("deletes test clients that have expired, and no other client", async () => {
		const now = database.clock.now();
		const test = { appId: TEST_APP_ID, mode: "test" } as const;
		const clients = [
			await storeClient(database, database.tenantId, { ...test, accessRequestId: "1", expiresAtMs: now }),
			await storeClient(database, database.tenantId, { ...test, accessRequestId: "2", expiresAtMs: now + 1 }),
			await storeClient(database, database.tenantId, { ...test, accessRequestId: "3" }),
			await storeClient(database, database.tenantId, { expiresAtMs: now }),
		];
		await run();
		const { apiClients } = database.db.stores;
		const found = await Promise.all(clients.map(({ id }) => apiClients.findById(database.tenantId, id)));
		assert.deepEqual(
			found.map((client) => client?.id),
			[undefined, ...clients.slice(1).map(({ id }) => id)],
		);
	});

	it("deletes only expired rows", async () => {
		const { id } = await database.addUser({ username: "ada" });
		await addSession(id, MINUTE_MS);
		await addSession(id, MINUTE_MS + 1);
		const now = database.clock.now();
		const key = { tenantId: database.tenantId, purpose: "registration", address: "a@b.example" } as const;
		await database.db.transaction(async ({ emailCodes, loginFailures }) => {
			await emailCodes.countSend({ purpose: key.purpose, address: key.address }, now);
			await emailCodes.put({ ...key, codeDigest: "x", expiresAtMs: now + 10 * MINUTE_MS });
			await loginFailures.reserve(database.tenantId, "name:x", "192.0.2.1", now);
		});
		await database.db.stores.nonces.claim("client", "nonce", now / SECOND_MS);
		const counts = async () => ({
			sessions: await rowsIn("sessions"),
			codes: await rowsIn("email_codes"),
			mails: await rowsIn("address_mails"),
			failures: await rowsIn("login_failures"),
			nonces: await nonceCount(),
		});
		await run();
		assert.deepEqual(await counts(), { sessions: 2, codes: 1, mails: 1, failures: 1, nonces: 1 });
		database.clock.advance(MINUTE_MS);
		await run();
		assert.deepEqual(await counts(), { sessions: 1, codes: 1, mails: 1, failures: 1, nonces: 1 });
		database.clock.advance(HOUR_MS - MINUTE_MS);
		await run();
		assert.deepEqual(await counts(), { sessions: 0, codes: 0, mails: 0, failures: 1, nonces: 1 });
		database.clock.advance(300 * SECOND_MS);
		await run();
		assert.equal(await nonceCount(), 1, "kept for as long as clocks may be set back");
		// With several writers, nonces are kept for whole hours.
		database.clock.advance(database.engine.soleWriter ? SECOND_MS : 2 * HOUR_MS);
		await run();
		assert.equal(await nonceCount(), 0);
		database.clock.advance(DAY_MS);
		await run();
		assert.deepEqual(await counts(), { sessions: 0, codes: 0, mails: 0, failures: 0, nonces: 0 });
		assert.deepEqual(errors, []);
	});

	it("deletes in bounded batches, and leaves the rest for the next run", async () => {
		const { id } = await database.addUser({ username: "busy" });
		for (let count = 0; count < 25; count++) await addSession(id, MINUTE_MS);
		database.clock.advance(MINUTE_MS);
		await run({ batchSize: 5, maxBatches: 2 });
		assert.equal(await rowsIn("sessions"), 15);
		await run({ batchSize: 5 });
		assert.equal(await rowsIn("sessions"), 0);
	});

	it("continues with the other kinds when one fails, and logs it", async () => {
		const { id } = await database.addUser({ username: "unlucky" });
		await addSession(id, MINUTE_MS);
		const now = database.clock.now();
		await database.db.transaction(({ loginFailures }) =>
			loginFailures.reserve(database.tenantId, "name:y", "192.0.2.1", now),
		);
		await database.engine.queries.run("ALTER TABLE sessions RENAME TO sessions_away");
		database.clock.advance(2 * DAY_MS);
		await run();
		await database.engine.queries.run("ALTER TABLE sessions_away RENAME TO sessions");
		assert.equal(errors.length, 1);
		assert.equal(await rowsIn("login_failures"), 0);
		assert.equal(await rowsIn("sessions"), 1);
	});
});
