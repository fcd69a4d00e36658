// What is ended again after a failover: only what was committed, and only what the database lost.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Stores } from "../../domain/stores.ts";
import { type Ending, RecentEndings } from "./recent-endings.ts";

type EndingStores = Pick<Stores, "sessions" | "apiClients">;

/** Stores that record each call, with a client that was last changed at `updatedAtMs`. */
function createStores(updatedAtMs = 0) {
	const calls: string[] = [];
	const recording = (store: string, answers: Readonly<Record<string, unknown>> = {}): object =>
		new Proxy(
			{ ...answers },
			{
				get: (_, name) => async (_tenantId: string, id: string) => {
					calls.push(`${store}.${String(name)} ${id}`);
					return answers[String(name)];
				},
				ownKeys: () => [],
			},
		);
	const stores = {
		sessions: recording("sessions"),
		apiClients: recording("apiClients", { findForUpdate: { updatedAtMs } }),
	} as EndingStores;
	return { calls, stores };
}

async function repeated(endings: RecentEndings, updatedAtMs?: number): Promise<readonly string[]> {
	const { calls, stores } = createStores(updatedAtMs);
	await endings.repeat({ stores, transaction: (work) => work(stores) });
	return calls.filter((call) => !call.includes("findForUpdate"));
}

async function disableAt(endings: RecentEndings, nowMs: number): Promise<Ending[]> {
	const ended: Ending[] = [];
	const { apiClients, sessions } = endings.observe(createStores().stores, ended);
	await apiClients.update("t", "client", { status: "disabled" }, nowMs);
	await sessions.end("t", "user", "session", nowMs);
	return ended;
}

test("repeats what was committed", async () => {
	const endings = new RecentEndings(() => 1_000);
	endings.keep(await disableAt(endings, 1_000));
	assert.deepEqual(await repeated(endings), ["apiClients.update client", "sessions.end user"]);
});

test("repeats nothing of a transaction that was rolled back", async () => {
	const endings = new RecentEndings(() => 1_000);
	await disableAt(endings, 1_000);
	assert.deepEqual(await repeated(endings), []);
});

test("does not disable a client again that was changed later", async () => {
	const endings = new RecentEndings(() => 1_000);
	endings.keep(await disableAt(endings, 1_000));
	for (const updatedAtMs of [1_000, 2_000])
		assert.deepEqual(await repeated(endings, updatedAtMs), ["sessions.end user"]);
});

test("keeps the latest 100,000 of ten minutes", async () => {
	let nowMs = 0;
	const endings = new RecentEndings(() => nowMs);
	const ending: Ending = { atMs: 0, repeat: async () => undefined };
	for (let lot = 0; lot < 11; lot++) endings.keep(Array.from({ length: 10_000 }, () => ending));
	const { stores } = createStores();
	const db = { stores, transaction: <T>(work: (stores: EndingStores) => Promise<T>) => work(stores) };
	assert.equal(await endings.repeat(db), 90_000);
	nowMs = 600_001;
	assert.equal(await endings.repeat(db), 0);
});
