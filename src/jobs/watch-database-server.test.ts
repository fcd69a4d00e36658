// What the watch does with each server that it may find.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { DatabaseServer, ProbedServer } from "../domain/database-server.ts";
import type { Stores } from "../domain/stores.ts";
import { createDatabaseServerWatch } from "./watch-database-server.ts";

const FIRST = "7/00000001";
const SECOND = "7/00000002";

function createWatch(current: DatabaseServer, voidCodes = async (): Promise<void> => undefined) {
	const state = { server: current, probed: [] as ProbedServer[], done: [] as string[] };
	const note = (name: string) => async (): Promise<void> => {
		state.done.push(name);
	};
	const stores = {
		databaseServer: {
			find: async () => state.server,
			async accept({ current }) {
				state.done.push("accept");
				state.server = { current, accepted: current };
				return true;
			},
			closeUntil: note("close"),
		},
		tenants: { listAll: async () => [] },
	} as Pick<Stores, "databaseServer"> as Stores;
	const ignore = (): void => undefined;
	const watch = createDatabaseServerWatch({
		db: { stores, transaction: (work) => work(stores) },
		clock: () => 1_000,
		log: { isDebug: false, debug: ignore, info: ignore, warn: ignore, error: note("error") },
		hasSynchronousStandby: false,
		probeServers: async () => state.probed,
		voidCodes,
		followed: { identity: "" },
		async repeatEndings() {
			state.done.push("repeat");
			return 0;
		},
	});
	const [server, writers] = watch.checks;
	return {
		state,
		run: () => watch.job.run(),
		check: async () => server?.check(),
		details: () => [server?.detail?.(), writers?.detail?.()],
		checkWriters: async () => writers?.check(),
	};
}

test("pauses signed requests before it accepts the successor, and then repeats what it ended", async () => {
	const { state, run, check } = createWatch({ current: FIRST, accepted: FIRST });
	await run();
	state.server = { current: SECOND, accepted: FIRST };
	await run();
	assert.deepEqual(state.done, ["close", "accept", "repeat"]);
	await check();
});

test("does not accept the successor until codes are void", async () => {
	let isBroken = true;
	const { state, run } = createWatch({ current: SECOND, accepted: FIRST }, async () => {
		if (isBroken) throw new Error("canceled");
	});
	await assert.rejects(run(), /canceled/);
	isBroken = false;
	await run();
	assert.deepEqual(state.done, ["close", "close", "accept"]);
});

test("is unhealthy on the old primary, to which a pooler may go back", async () => {
	const { state, run, check, details } = createWatch({ current: FIRST, accepted: FIRST });
	await run();
	state.server = { current: SECOND, accepted: SECOND };
	await run();
	await check();
	state.done = [];
	// The old primary accepts itself.
	state.server = { current: FIRST, accepted: FIRST };
	await run();
	await run();
	assert.deepEqual(state.done, ["error"]);
	await assert.rejects(check(), /earlier timeline/);
	assert.equal(details()[0], `the server is ${FIRST}, before ${SECOND}`);
	state.server = { current: SECOND, accepted: SECOND };
	await run();
	await check();
	assert.deepEqual(state.done, ["error"]);
});

describe("two servers that accept writes", () => {
	const probe = (identity: string, startedAt: string): ProbedServer => ({
		host: `db-${startedAt}:5432`,
		state: "writable",
		identity,
		startedAt,
	});
	const SETTING = "of LATCHKEY_DATABASE_URL";

	for (const [title, second] of [
		["an old primary and its successor", probe(SECOND, "2")],
		["two standbys that were promoted to one timeline", probe(FIRST, "2")],
		["servers of different clusters", probe("8/00000001", "2")],
	] as const)
		test(`reports ${title} by their places, and logs their names once`, async () => {
			const { state, run, check, details, checkWriters } = createWatch({ current: FIRST, accepted: FIRST });
			state.probed = [probe(FIRST, "1"), { ...probe(FIRST, "3"), state: "read_only" }, second];
			for (let time = 0; time < 21; time++) await run();
			assert.deepEqual(state.done, ["error"]);
			await check();
			await assert.rejects(checkWriters(), /two servers/);
			const timeline = Number((second.identity ?? "").slice(-1));
			assert.equal(
				details()[1],
				`accept writes: host 1 ${SETTING} (timeline 1), host 3 ${SETTING} (timeline ${timeline})`,
			);
			state.probed = [probe(FIRST, "1")];
			for (let time = 0; time < 10; time++) await run();
			await checkWriters();
		});

	test("are not reported when two poolers lead to one server", async () => {
		const { state, run, checkWriters } = createWatch({ current: FIRST, accepted: FIRST });
		state.probed = [probe(FIRST, "1"), { ...probe(FIRST, "1"), host: "pooler-2:6432" }];
		await run();
		assert.deepEqual(state.done, []);
		await checkWriters();
	});
});
