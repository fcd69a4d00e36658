// Runs a job over the database of an installation: in this process, or in one that ends inside a transaction of the job.

import { join } from "node:path";
import { openPostgres } from "../../../src/adapters/postgres/postgres.ts";
import type { Engine } from "../../../src/adapters/sql/engine.ts";
import { openSqlite } from "../../../src/adapters/sqlite/sqlite.ts";
import { parseMasterKeys, SecretBox } from "../../../src/crypto/secret-box.ts";
import type { Db } from "../../../src/domain/stores.ts";
import { removeEnded } from "../../../src/features/access/applications/remove-ended.ts";
import { runReviews } from "../../../src/features/access/reviews/close-reviews.ts";
import { disableDormant } from "../../../src/jobs/disable-dormant.ts";
import { notifyEnds } from "../../../src/jobs/notify-ends.ts";
import { sendRequestDigests } from "../../../src/jobs/send-request-digests.ts";
import { persistenceOn } from "../databases/persistence.ts";
import { spawnProgram } from "./program.ts";

const JOBS = {
	ends: removeEnded,
	digest: notifyEnds,
	dormancy: disableDormant,
	reviews: runReviews,
	requests: sendRequestDigests,
} as const;
export type JobName = keyof typeof JOBS;
type Env = Readonly<Record<string, string | undefined>>;

export interface JobNode {
	readonly engine: Engine;
	run(job: JobName): Promise<unknown>;
}

/** A node that runs only jobs. The subject of its mails is their kind. */
export async function openNode(env: Env, wrap: (db: Db) => Db = (db) => db): Promise<JobNode> {
	const { LATCHKEY_DATA_DIR = "", LATCHKEY_DATABASE_URL: url, LATCHKEY_MASTER_KEY = "" } = env;
	const engine =
		url === undefined ? openSqlite(join(LATCHKEY_DATA_DIR, "latchkey.db")) : await openPostgres(url);
	const secretBox = new SecretBox(parseMasterKeys(LATCHKEY_MASTER_KEY));
	const clock = Date.now;
	const db = persistenceOn(engine, clock, secretBox);
	const needs = { db: wrap(db), clock, publicUrl: "https://id.example", wakeMail: () => undefined };
	return { engine, run: (job) => JOBS[job](needs) };
}

/** Runs a job in a process that is killed in this transaction of it, counted from 1, before the commit. @returns the signal */
export async function killInTransaction(
	env: Readonly<Record<string, string>>,
	job: JobName,
	transaction: number,
): Promise<NodeJS.Signals | null> {
	const args = [job, String(transaction)];
	return (await spawnProgram(args, { env, entry: import.meta.filename }).exited).signal;
}

if (import.meta.main) {
	const [job, last] = process.argv.slice(2);
	let left = Number(last);
	const node = await openNode(process.env, (db) => ({
		...db,
		transaction: (work) =>
			db.transaction(async (stores) => {
				const result = await work(stores);
				left -= 1;
				if (left === 0) process.kill(process.pid, "SIGKILL");
				return result;
			}),
	}));
	await node.run(job as JobName);
	await node.engine.close();
}
