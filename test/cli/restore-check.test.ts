// `latchkey restore --check`: proves a backup of either engine beside the service, changes nothing, and leaves nothing.

import assert from "node:assert/strict";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { unlockAudit } from "../harness/databases/audit.ts";
import { POSTGRES_SKIPPED } from "../harness/databases/postgres-skipped.ts";
import { addPerson } from "../harness/people/people.ts";
import { spawnProgram } from "../harness/processes/program.ts";
import { fixture, setup } from "../harness/runs/fixture.ts";
import { lastingFolder, snapshot, temporaryFolder } from "../harness/runs/folder.ts";
import { type EngineName, makePlace } from "../harness/service/installation.ts";

const OTHER_KEY = Buffer.alloc(32, 6).toString("base64");

interface Checked {
	readonly ok: boolean;
	readonly rows: number;
	readonly short: readonly object[];
	readonly trails: readonly { readonly tenant: string; readonly ok: boolean; readonly events: number }[];
}

const leftFolders = (): string[] =>
	readdirSync(tmpdir()).filter((name) => name.startsWith("latchkey-check-"));

for (const engine of ["sqlite", "postgres"] satisfies EngineName[])
	describe(`restore --check on ${engine}`, { skip: engine === "postgres" && POSTGRES_SKIPPED }, () => {
		const folder = lastingFolder();
		const file = join(folder, "backup.gz");
		let left: readonly string[];
		setup(async () => {
			left = leftFolders();
		});
		const place = fixture(() => makePlace(engine), "remove");
		const service = fixture(() => place.serve(), "stop");
		setup(async () => {
			await addPerson(service, "person");
			assert.equal((await place.run(["backup", file])).code, 0);
		});

		async function check(...args: readonly string[]) {
			const { code, stdout, stderr } = await place.run(["restore", "--check", ...args]);
			assert.deepEqual(leftFolders(), left);
			return { code, stdout, stderr };
		}

		test("counts the rows and verifies the trails while the service runs", async () => {
			const files = engine === "postgres" ? snapshot(place.dataDir) : [];
			const { code, stdout, stderr } = await check(file);
			assert.equal(code, 0, stderr);
			assert.match(stdout, /^restored [1-9]\d* rows in \d+ tables of 20\S+ into a temporary database$/m);
			assert.match(stdout, /^default: ok, [1-9]\d* events/m);
			assert.match(stdout, /^the backup can be restored$/m);
			if (engine === "postgres") assert.deepEqual(snapshot(place.dataDir), files);
			// The sessions, which a restore revokes, remain.
			const token = await service.adminToken();
			assert.equal((await service.call("GET", "/api/v1/users/me", { token })).status, 200);
		});

		test("prints one JSON object", async () => {
			const { code, stdout } = await check(file, "--json");
			const report = JSON.parse(stdout) as Checked;
			assert.deepEqual([code, report.ok, report.short], [0, true, []]);
			assert.ok(report.rows > 10);
			assert.deepEqual(
				report.trails.map(({ tenant, ok }) => [tenant, ok]),
				[["default", true]],
			);
		});

		test("refuses a truncated file, a missing key, and --replace", async () => {
			const cut = join(folder, "cut.gz");
			writeFileSync(cut, readFileSync(file).subarray(0, -40));
			assert.equal((await check(cut)).code, 5);
			const foreign = await place.run(["restore", "--check", file], {
				env: { LATCHKEY_MASTER_KEY: OTHER_KEY },
			});
			assert.notEqual(foreign.code, 0);
			assert.match(foreign.stderr, /master key/);
			const both = await place.run(["restore", "--check", "--replace", file]);
			assert.equal(both.code, 2);
			assert.deepEqual(leftFolders(), left);
		});

		test("removes both copies of standard input when it is stopped", async () => {
			using temporary = temporaryFolder();
			const copies = (): string[] => readdirSync(temporary.path).map((name) => name.replace(/-[^-]+$/, ""));
			const program = spawnProgram(["restore", "--check", "-"], {
				env: { ...place.env, TMPDIR: temporary.path },
				input: readFileSync(file),
			});
			try {
				// Stopped in its tracks, so that it cannot finish between the look and the signal.
				const untilMs = Date.now() + 30_000;
				while (!copies().includes("latchkey-check") && Date.now() < untilMs) await setImmediate();
				program.kill("SIGSTOP");
				assert.deepEqual(copies().sort(), ["latchkey-check", "latchkey-restore"]);
				program.kill("SIGINT");
				program.kill("SIGCONT");
				const { code, stdout } = await program.exited;
				assert.deepEqual([code, stdout], [1, ""]);
				assert.deepEqual(copies(), []);
			} finally {
				await program.end();
			}
		});

		test("exits with 5 when the trail in the backup is broken", async () => {
			const database = await place.open();
			const changed = "UPDATE audit_events SET action = 'user.forged' WHERE sequence = 1";
			await unlockAudit(database);
			await database.transaction((queries) => queries.run(changed));
			await database.close();
			const forged = join(folder, "forged.gz");
			assert.equal((await place.run(["backup", forged])).code, 0);
			const { code, stdout } = await check(forged);
			assert.equal(code, 5);
			assert.match(stdout, /^default: BROKEN at event 1, /m);
			assert.match(stdout, /^the backup is DAMAGED$/m);
			const json = JSON.parse((await check(forged, "--json")).stdout) as Checked;
			assert.equal(json.ok, false);
		});
	});
