// An import through a slow link to the database, while users of the same tenant sign in.

import assert from "node:assert/strict";
import { test } from "node:test";
import { openPostgres } from "../../src/adapters/postgres/postgres.ts";
import { userTarget } from "../../src/domain/audit.ts";
import { userCaller } from "../../src/domain/caller.ts";
import { importUsers } from "../../src/features/identity/users/import-users.ts";
import { chainHash } from "../../src/features/record/audit/chain.ts";
import { newId } from "../../src/kernel/id.ts";
import { cliCaller } from "../../src/ops/cli-caller.ts";
import { blankUser } from "../harness/databases/database.ts";
import { persistenceOn } from "../harness/databases/persistence.ts";
import { POSTGRES_SKIPPED } from "../harness/databases/postgres-skipped.ts";
import { startSlowLink } from "../harness/databases/slow-link.ts";
import { createPostgresDatabase } from "../harness/databases/test-engine.ts";

const PEOPLE = 600;
const BATCH = 200;
/** A second on a link of 2.5 ms. */
const ROUND_TRIPS_MAX = 400;
const ORIGIN = { ip: "203.0.113.9", requestId: "r", userAgent: "", acceptLanguage: "" };

test(`no sign-in waits for more than ${ROUND_TRIPS_MAX} round trips of an import far from the database`, {
	skip: POSTGRES_SKIPPED,
}, async () => {
	const database = await createPostgresDatabase({ migrated: true });
	const url = new URL(database.url);
	const link = await startSlowLink(Number(url.port || 5432), 1.25);
	url.port = String(link.port);
	const engines = [await openPostgres(database.url), await openPostgres(url.href)] as const;
	try {
		const [near, far] = [persistenceOn(engines[0], Date.now), persistenceOn(engines[1], Date.now)];
		const tenantId = newId(Date.now());
		await near.stores.tenants.insert({ id: tenantId, name: "T", slug: "t", createdAtMs: 0, updatedAtMs: 0 });
		const user = blankUser(tenantId, "ada", Date.now());
		await near.transaction(({ users }) => users.insert(user));
		const waits: number[] = [];
		let isImporting = true;
		const signIns = (async () => {
			while (isImporting) {
				const before = link.sent;
				await near.transaction(async ({ users, audit }) => {
					await users.noteSignIn(tenantId, user.id, Date.now());
					await audit.append(userCaller(user, ORIGIN), "user.signed_in", userTarget(user));
				});
				waits.push(link.sent - before);
			}
		})();
		for (let from = 0; from < PEOPLE; from += BATCH) {
			const people = Array.from({ length: BATCH }, (_, index) => {
				const username = `person-${from + index}`;
				return { username, email: `${username}@people.example`, passwordHash: "none" };
			});
			const outcomes = await importUsers({ db: far, clock: Date.now }, cliCaller(tenantId), people);
			assert.deepEqual(new Set(outcomes), new Set(["created"]));
		}
		isImporting = false;
		await signIns;
		const longest = Math.max(...waits);
		assert.ok(longest > 0 && longest <= ROUND_TRIPS_MAX, `a sign-in waited for ${longest} round trips`);
		const events = await near.stores.audit.listChain(tenantId, 0, 100_000);
		assert.equal(events.length, PEOPLE + waits.length);
		for (const [index, event] of events.entries())
			assert.equal(event.hash, chainHash(events[index - 1]?.hash ?? "", event));
	} finally {
		for (const engine of engines) await engine.close();
		await link.close();
		await database.drop();
	}
});
