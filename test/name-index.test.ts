// The index over names of the embedded database, from its creation at startup to a restore.

import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { describe, test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { makePlace, type Place } from "./harness/service/installation.ts";
import type { TestService } from "./harness/service/service.ts";

const PATIENCE_MS = 60_000;

/** The entries of the index once it is complete; undefined before. */
function entries(file: string): number | undefined {
	const database = new DatabaseSync(file, { readOnly: true, timeout: 5_000 });
	try {
		const made = "SELECT count(*) AS tables FROM sqlite_master WHERE name = 'search_users_rest'";
		if (database.prepare(made).get()?.tables === 0) return undefined;
		if (database.prepare("SELECT count(*) AS rest FROM search_users_rest").get()?.rest !== 0)
			return undefined;
		return Number(database.prepare("SELECT count(*) AS entries FROM search_users").get()?.entries);
	} finally {
		database.close();
	}
}

async function untilEntries({ dataDir }: TestService, count: number): Promise<void> {
	const deadline = performance.now() + PATIENCE_MS;
	while (entries(`${dataDir}/latchkey.db`) !== count) {
		assert.ok(performance.now() < deadline, `the index has ${count} entries in time`);
		await setTimeout(20);
	}
}

async function find({ call, adminToken }: TestService, q: string): Promise<string[]> {
	const { body } = await call<{ data: { username: string }[] }>("GET", `/api/v1/users?q=${q}`, {
		token: await adminToken(),
	});
	return body.data.map(({ username }) => username);
}

async function served(place: Place, work: (service: TestService) => Promise<void>): Promise<void> {
	const service = await place.serve();
	try {
		await work(service);
	} finally {
		await service.stop();
	}
}

describe("the index over names", () => {
	test("is created at startup, updated by the service, and recreated after a restore", async () => {
		const place = await makePlace("sqlite");
		const other = await makePlace("sqlite");
		try {
			await served(place, async (service) => {
				await untilEntries(service, 1);
				for (const username of ["Grace-H", "grace-k"])
					await service.addUser({
						username,
						email: `${username}@people.example`,
						password: "a fine password 1",
					});
				await untilEntries(service, 3);
				assert.deepEqual(await find(service, "ACE-H"), ["Grace-H"]);
			});
			const backup = `${other.dataDir}.gz`;
			assert.equal((await place.run(["backup", backup])).code, 0);
			assert.equal((await other.run(["restore", backup])).code, 0);
			await served(other, async (service) => {
				await untilEntries(service, 3);
				assert.deepEqual(await find(service, "ace-"), ["grace-k", "Grace-H"]);
			});
		} finally {
			await place.remove();
			await other.remove();
		}
	});
});
