// The ring of nonces: of all claims of a nonce through two nodes, one is accepted, with any timestamps, and none after its
// hour is forgotten.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { Client } from "pg";
import { openPostgres } from "../../src/adapters/postgres/postgres.ts";
import type { Engine } from "../../src/adapters/sql/engine.ts";
import { groupedNonces } from "../../src/adapters/stores/grouped-nonces.ts";
import { hoursOf } from "../../src/adapters/stores/nonce-ring.ts";
import { sha256Hex } from "../../src/crypto/digest.ts";
import type { NonceStore } from "../../src/domain/nonce.ts";
import { storedAs } from "../harness/databases/claimed-nonces.ts";
import { until } from "../harness/databases/ledger.ts";
import { POSTGRES_SKIPPED } from "../harness/databases/postgres-skipped.ts";
import { createPostgresDatabase, type OwnDatabase } from "../harness/databases/test-engine.ts";

const HOUR = 3_600;
const ROUNDS = 400;
const CLAIMS = 16;

type Claim = NonceStore["claim"];

describe("the ring of nonces", { skip: POSTGRES_SKIPPED }, () => {
	let database: OwnDatabase;
	let engines: readonly Engine[];
	let nodes: readonly NonceStore[];
	let observer: Client;
	before(async () => {
		database = await createPostgresDatabase({ migrated: true });
		engines = [await openPostgres(database.url), await openPostgres(database.url)];
		const [first] = engines as [Engine];
		await first.queries.run(
			`INSERT INTO meta (key, value) SELECT 'database_server', ${first.serverIdentity}`,
		);
		nodes = engines.map((engine) => groupedNonces(engine, { digestOf: sha256Hex })(engine.queries));
		observer = new Client({ connectionString: database.url });
		await observer.connect();
	});
	after(async () => {
		await observer.end();
		for (const engine of engines) await engine.close();
		await database.drop();
	});

	const claimOn = (node: number, ...claim: Parameters<Claim>): Promise<boolean> =>
		(nodes[node % nodes.length] as NonceStore).claim(...claim);
	/** Claims on both nodes in turn. @returns the number of accepted claims */
	const race = async (nonce: string, timestamps: readonly number[], claim: typeof claimOn = claimOn) => {
		const results = await Promise.all(
			Array.from({ length: CLAIMS }, (_, index) =>
				claim(index, "client", nonce, timestamps[(index >> 1) % timestamps.length] as number),
			),
		);
		return results.filter(Boolean).length;
	};
	/** @returns the rounds in which not exactly one claim was accepted */
	const wrongRounds = async (name: string, timestamps: readonly number[], claim?: typeof claimOn) => {
		let wrong = 0;
		for (let round = 0; round < ROUNDS; round++)
			if ((await race(`${name}-${round}`, timestamps, claim)) !== 1) wrong++;
		return wrong;
	};
	const purgeUntil = (hour: number, engine = engines[0] as Engine) =>
		engine.transaction((queries) =>
			groupedNonces(engine, { digestOf: sha256Hex })(queries).purge((hour - 4) * HOUR, 0),
		);
	const ceiling = async (): Promise<number> =>
		Number((await observer.query("SELECT ceiling FROM nonce_ring")).rows[0].ceiling);
	const tableOf = (hour: number): string => `nonces_${hour % 6}`;

	test(`accepts one claim in each of ${ROUNDS} races with one timestamp`, async () => {
		assert.equal(await wrongRounds("same", [500_000 * HOUR + 1_800]), 0);
	});

	test(`accepts one claim in each of ${ROUNDS} races across the end of an hour`, async () => {
		const end = 500_001 * HOUR;
		assert.equal(await wrongRounds("across", [end - 200, end + 200]), 0);
		assert.equal(await wrongRounds("far", [end - 600, end, end - 1, end + 599, end + 600]), 0);
	});

	test("would accept two if a claim only looked up the hour beside its own", async () => {
		const end = 500_001 * HOUR;
		const naive: typeof claimOn = async (node, clientId, nonce, signedAt) => {
			const hour = Math.floor(signedAt / HOUR);
			const beside = tableOf(hour === 500_000 ? 500_001 : 500_000);
			const inserted = await (engines[node % 2] as Engine).queries.run(
				`INSERT INTO ${tableOf(hour)} SELECT CAST($1 AS UUID)
				WHERE NOT EXISTS (SELECT 1 FROM ${beside} WHERE digest = CAST($1 AS UUID)) ON CONFLICT DO NOTHING`,
				storedAs(clientId, nonce),
			);
			return inserted === 1;
		};
		assert.ok((await wrongRounds("naive", [end - 200, end + 200], naive)) > 0);
	});

	test(`refuses ${ROUNDS} nonces again with timestamps up to 65 minutes away`, async () => {
		const outcomes: boolean[] = [];
		const at = 500_000 * HOUR;
		for (let round = 0; round < ROUNDS; round++) {
			const signedAt = at + ((round * 97) % HOUR);
			const other = signedAt + ([3_900, -3_900, 3_000, -3_000, 700, -700][round % 6] ?? 0);
			assert.equal(await claimOn(round, "client", `later-${round}`, signedAt), true);
			outcomes.push(await claimOn(round + 1, "client", `later-${round}`, other));
		}
		assert.equal(outcomes.filter(Boolean).length, 0);
	});

	test("refuses 9,000 replays beside 30 truncations", async () => {
		const claimed: (readonly [nonce: string, signedAt: number])[] = [];
		let again = 0;
		let replays = 0;
		for (let round = 0; round < 30; round++) {
			const hour = 500_010 + round;
			for (let index = 0; index < 20; index++) {
				const [nonce, signedAt] = [`old-${round}-${index}`, hour * HOUR + 1_700 + 70 * index];
				assert.equal(await claimOn(index, "client", nonce, signedAt), true);
				claimed.push([nonce, signedAt]);
			}
			// Not the purge, which does not wait: the statement that it would run, while replays hold the table.
			const truncate = observer.query(
				`BEGIN; UPDATE nonce_ring SET floor = ${(hour + 1) * HOUR - 1}; TRUNCATE ${tableOf(hour)}; COMMIT`,
			);
			const replay = async (worker: number): Promise<void> => {
				for (let index = 0; index < 20; index++) {
					const [nonce, signedAt] = claimed[
						Math.floor(Math.random() * claimed.length)
					] as (typeof claimed)[0];
					replays++;
					if (await claimOn(worker + index, "client", nonce, signedAt)) again++;
				}
			};
			await Promise.all([truncate, ...Array.from({ length: 15 }, (_, worker) => replay(worker))]);
		}
		assert.deepEqual({ replays, again }, { replays: 9_000, again: 0 });
	});

	test("opens hours as claims need them, refuses what it forgot, and reuses the tables", async () => {
		const hour = 500_100;
		assert.equal(await claimOn(0, "client", "opens", hour * HOUR + 1_000), true);
		assert.equal(await ceiling(), (hour + 1) * HOUR - 1);
		const oldest = (hour - 5) * HOUR;
		assert.equal(await claimOn(1, "client", "floor", oldest - 1), false);
		assert.equal(await claimOn(1, "client", "above the floor", oldest + 700), true);
		await purgeUntil(hour + 6);
		assert.equal(await ceiling(), (hour + 7) * HOUR - 1);
		assert.equal(await claimOn(0, "client", "opens", hour * HOUR + 1_000), false);
		assert.equal(await claimOn(0, "client", "another", hour * HOUR + 1_000), false);
		const { rows } = await observer.query(`SELECT 1 FROM ${tableOf(hour)}`);
		assert.deepEqual(rows, []);
	});

	test("opens no hour beyond three hours after the clock of the server", async () => {
		await observer.query("ALTER FUNCTION public.statement_timestamp() RENAME TO later_timestamp");
		await engines[0]?.queries.run("SELECT 1");
		const fresh = await openPostgres(database.url);
		try {
			const now = Math.floor(Date.now() / 1_000);
			await observer.query("UPDATE nonce_ring SET floor = 0, ceiling = $1", [
				(Math.floor(now / HOUR) + 1) * HOUR - 1,
			]);
			const { claim } = groupedNonces(fresh, { digestOf: sha256Hex })(fresh.queries);
			await assert.rejects(claim("client", "a day ahead", now + 86_400), { code: "service.unavailable" });
			await purgeUntil(Math.floor(now / HOUR) + 24, fresh);
			assert.ok((await ceiling()) <= now + 4 * HOUR);
			assert.equal(await claim("client", "now", now), true);
		} finally {
			await fresh.close();
			await observer.query("ALTER FUNCTION public.later_timestamp() RENAME TO statement_timestamp");
		}
	});

	describe("while a vacuum and a dump hold the table of the next hour", () => {
		const hour = 500_200;
		let holder: Client;
		before(async () => {
			await claimOn(0, "client", "first", hour * HOUR + 1_000);
			await purgeUntil(hour + 2);
			await observer.query(
				`INSERT INTO ${tableOf(hour + 3)} SELECT gen_random_uuid() FROM generate_series(1, 20000)`,
			);
			holder = new Client({ connectionString: database.url });
			await holder.connect();
		});
		after(() => holder.end());

		test("cancels no vacuum, and delays no claim", async () => {
			await holder.query(
				"SET vacuum_cost_delay = 100; SET vacuum_cost_limit = 1; SET vacuum_cost_page_hit = 10",
			);
			let hasEnded = false;
			const vacuumed = assert.rejects(
				holder.query(`VACUUM ${tableOf(hour + 3)}`).finally(() => {
					hasEnded = true;
				}),
				/canceling statement due to user request/,
			);
			const isVacuuming = "SELECT pid FROM pg_stat_progress_vacuum WHERE datname = current_database()";
			await until("the vacuum runs", async () => (await observer.query(isVacuuming)).rowCount === 1);
			let isOver = false;
			const watched = (async () => {
				const isWaiting =
					"SELECT query FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND wait_event = 'relation'";
				while (!isOver) assert.deepEqual((await observer.query(isWaiting)).rows, [], "waits for a table");
			})();
			await Promise.all([
				purgeUntil(hour + 3),
				...[0, 1].map((node) => claimOn(node, "client", `during ${node}`, hour * HOUR + 1_000)),
			]).finally(() => {
				isOver = true;
			});
			await watched;
			assert.equal(await ceiling(), (hour + 3) * HOUR - 1);
			assert.equal(hasEnded, false);
			await observer.query(`SELECT pg_cancel_backend(pid) FROM (${isVacuuming}) AS vacuums`);
			await vacuumed;
		});

		test("opens the hour with its old nonces once another hour is due, and empties it later", async () => {
			await holder.query(`BEGIN; SELECT 1 FROM ${tableOf(hour + 3)} LIMIT 1`);
			await purgeUntil(hour + 3);
			assert.equal(await ceiling(), (hour + 3) * HOUR - 1);
			await purgeUntil(hour + 4);
			assert.equal(await ceiling(), (hour + 5) * HOUR - 1);
			const signedAt = (hour + 3) * HOUR + 1_000;
			assert.equal(await claimOn(0, "client", "among old ones", signedAt), true);
			assert.equal(await claimOn(1, "client", "among old ones", signedAt), false);
			await holder.query("COMMIT");
			await purgeUntil(hour + 9);
			const { rows } = await observer.query(`SELECT count(*)::int AS n FROM ${tableOf(hour + 3)}`);
			assert.deepEqual(rows, [{ n: 0 }]);
		});
	});

	test("empties the only table that no claim of the current hour touches", () => {
		const touched = new Set<number>();
		for (let signedAt = 500_000 * HOUR - 300; signedAt <= 500_001 * HOUR + 300; signedAt++) {
			const { first, last } = hoursOf(signedAt);
			// With the look-ups beside them.
			for (let hour = first - 1; hour <= last + 1; hour++) touched.add(hour - 500_000);
		}
		assert.deepEqual(
			[...touched].sort((a, b) => a - b),
			[-2, -1, 0, 1, 2],
		);
	});
});
