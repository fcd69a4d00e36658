// What the watch does with each server that it may find.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { DatabaseServer } from "../domain/database-server.ts";
import type { Stores } from "../domain/stores.ts";
import { createDatabaseServerWatch } from "./watch-database-server.ts";

const FIRST = "7/00000001";
const SECOND = "7/00000002";

function createWatch(server: DatabaseServer, voidCodes = async (): Promise<void> => undefined) {
	const state = { server, done: [] as string[] };
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
		probeServers: async () => undefined,
		voidCodes,
		followed: { identity: "" },
		async repeatEndings() {
			state.done.push("repeat");
			return 0;
		},
	});
	return { state, run: () => watch.job.run(), check: () => watch.check.check() };
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
	const { state, run, check } = createWatch({ current: FIRST, accepted: FIRST });
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
	state.server = { current: SECOND, accepted: SECOND };
	await run();
	await check();
	assert.deepEqual(state.done, ["error"]);
});
