// A killed restore or copy, and a full disk during a backup, leave exactly what existed before.

import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { openPostgres } from "../../src/adapters/postgres/postgres.ts";
import { openSqlite } from "../../src/adapters/sqlite/sqlite.ts";
import { addManyUsers } from "../harness/databases/many-users.ts";
import { POSTGRES_SKIPPED } from "../harness/databases/postgres-skipped.ts";
import { fill, mountSmallDisk, unmount } from "../harness/databases/small-disk.ts";
import { spawnProgram } from "../harness/processes/program.ts";
import { lastingFolder, temporaryFolder } from "../harness/runs/folder.ts";
import { type EngineName, makePlace, type Place } from "../harness/service/installation.ts";

const CROWD = 15_000;
const ENGINES: readonly EngineName[] = ["sqlite", "postgres"];
/** Output while the tables before the large one, the large one, and those after it are copied. */
const MOMENTS = [/audit_heads: 1 rows/, /tenants: 1 rows/, /users: 15001 rows/];
const folder = lastingFolder();
const file = join(folder, "large.gz");
let source: Place;

before(async () => {
	source = await makePlace("sqlite");
	await (await source.serve()).stop();
	const engine = await source.open();
	await addManyUsers(engine, CROWD);
	await engine.close();
	assert.equal((await source.run(["backup", file])).code, 0);
});
after(() => source.remove());

/** Users in the database; undefined without a users table. Retries until a killed process's transaction is gone. */
async function countUsers(place: Place): Promise<number | undefined> {
	if (place.engine === "sqlite" && !existsSync(join(place.dataDir, "latchkey.db"))) return undefined;
	const url = place.env.LATCHKEY_DATABASE_URL;
	const engine = url === undefined ? openSqlite(join(place.dataDir, "latchkey.db")) : await openPostgres(url);
	try {
		const deadline = performance.now() + 10_000;
		while ((await engine.whole.others(engine.queries)).length > 0 && performance.now() < deadline)
			await new Promise((resolve) => setTimeout(resolve, 20));
		if (!(await engine.hasTable("users"))) return undefined;
		return (await engine.queries.one<{ total: number }>("SELECT count(*) AS total FROM users"))?.total;
	} finally {
		await engine.close();
	}
}

async function killAt(place: Place, args: readonly string[], moment: RegExp): Promise<void> {
	const program = spawnProgram(args, { env: place.env, onTerminal: true });
	await program.printed(moment);
	await program.end();
}

for (const name of ENGINES)
	describe(`killed on ${name}`, { skip: name === "postgres" && POSTGRES_SKIPPED }, () => {
		test("a restore leaves the database empty or whole, and can be run again", async () => {
			const place = await makePlace(name);
			try {
				for (const moment of MOMENTS) {
					await killAt(place, ["restore", "--replace", file], moment);
					const found = await countUsers(place);
					assert.ok(found === undefined || found === CROWD + 1, `${found} users after ${moment}`);
				}
				const { code, stderr } = await place.run(["restore", "--replace", file]);
				assert.equal(code, 0, stderr);
				assert.equal(await countUsers(place), CROWD + 1);
				assert.match((await place.run(["audit", "verify"])).stdout, /^default: ok, /);
			} finally {
				await place.remove();
			}
		});

		test("a restore over existing data leaves it unchanged", async () => {
			const place = await makePlace(name);
			try {
				await (await place.serve()).stop();
				await killAt(place, ["restore", "--replace", file], /tenants: 1 rows/);
				assert.equal(await countUsers(place), 1);
				const service = await place.serve();
				assert.equal(typeof (await service.adminToken()), "string");
				await service.stop();
			} finally {
				await place.remove();
			}
		});
	});

describe("killed while copying to PostgreSQL", { skip: POSTGRES_SKIPPED }, () => {
	test("a move leaves the target empty and can be run again", async () => {
		const place = await makePlace("postgres");
		try {
			const move = ["move", "--from", `sqlite:${source.dataDir}`];
			await killAt(place, move, /tenants: 1 rows/);
			assert.equal(await countUsers(place), undefined);
			const { code, stdout, stderr } = await place.run(move);
			assert.equal(code, 0, stderr);
			assert.match(stdout, /^copied \d+ rows in \d+ tables in [\d.]+ s; counts and digests match$/m);
			assert.equal(await countUsers(place), CROWD + 1);
		} finally {
			await place.remove();
		}
	});
});

test("a backup that is stopped leaves nothing", async () => {
	using place = temporaryFolder();
	const program = spawnProgram(["backup", join(place.path, "stopped.gz")], {
		env: source.env,
		onTerminal: true,
	});
	await program.printed(/tenants: 1 rows/);
	program.kill("SIGINT");
	const { code, stderr } = await program.exited;
	// It may have completed before the signal arrived, but is never partial.
	if (code === 0) assert.deepEqual(readdirSync(place.path), ["stopped.gz"]);
	else {
		assert.match(stderr, /^latchkey: stopped: no backup was written$/m);
		assert.deepEqual(readdirSync(place.path), []);
	}
});

test("a full disk leaves no backup, and no partial backup or restore", async (t) => {
	const disk = mountSmallDisk(24);
	if (disk === undefined) {
		t.skip("needs permission to mount a small file system");
		return;
	}
	const place = await makePlace("sqlite");
	try {
		fill(join(disk, "ballast"), 100_000);
		const target = join(disk, "backup.gz");
		const { code, stderr } = await source.run(["backup", target]);
		assert.match(stderr, /^latchkey: \S+backup\.gz cannot be written \(ENOSPC\)\n$/m);
		assert.equal(code, 1);
		assert.deepEqual(readdirSync(disk), ["ballast"]);

		unlinkSync(join(disk, "ballast"));
		const dataDir = join(disk, "data");
		mkdirSync(dataDir, { mode: 0o700 });
		const env = { ...place.env, LATCHKEY_DATA_DIR: dataDir };
		const restoring = spawnProgram(["restore", file], { env, onTerminal: true });
		await restoring.printed(/tenants: 1 rows/);
		fill(join(disk, "ballast"), 100_000);
		const restored = await restoring.exited;
		assert.match(restored.stderr, /database \S+latchkey\.db cannot be used: [^\n]*full[^\n]*\n$/m);
		assert.equal(restored.code, 6);
		assert.deepEqual(readdirSync(dataDir), ["latchkey.lock"]);
	} finally {
		await place.remove();
		unmount(disk);
	}
});
