// An embedded database with a damaged page: a named state, for callers, operators, and commands.

import assert from "node:assert/strict";
import { closeSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, before, describe, it } from "node:test";
import { EXIT_STATUS } from "../../src/cli/exit-status.ts";
import { StartError } from "../../src/kernel/start-error.ts";
import { runCommand } from "../harness/processes/command.ts";
import { lastingFolder } from "../harness/runs/folder.ts";
import { startTestService, type TestService } from "../harness/service/service.ts";

/** A path outside the map of typed routes. */
const HEALTH: string = "/health";

interface Health {
	readonly data: { readonly checks: Readonly<Record<string, string>> };
}

/** Overwrites the first page of a table. The database must be closed. */
function damage(file: string, table: string): void {
	const database = new DatabaseSync(file);
	const size = Number(database.prepare("PRAGMA page_size").get()?.page_size);
	const sql = "SELECT rootpage FROM sqlite_master WHERE name = ?";
	const page = Number(database.prepare(sql).get(table)?.rootpage);
	database.close();
	const opened = openSync(file, "r+");
	writeSync(opened, Buffer.alloc(size, 0xff), 0, size, (page - 1) * size);
	closeSync(opened);
}

describe("a start on a damaged embedded database", () => {
	it("names the file and the damage", async () => {
		const dataDir = lastingFolder();
		const service = await startTestService({ dataDir });
		await service.stop();
		damage(join(dataDir, "latchkey.db"), "signing_keys");
		await assert.rejects(startTestService({ dataDir }), (error: unknown) => {
			assert.ok(error instanceof StartError, String(error));
			assert.equal(error.kind, "damaged");
			assert.match(error.message, /latchkey\.db cannot be used: database disk image is malformed$/);
			return true;
		});
	});
});

describe("a damaged embedded database", () => {
	const dataDir = lastingFolder();
	let service: TestService;
	let token: string;
	before(async () => {
		service = await startTestService({ dataDir });
		token = await service.adminToken();
		await service.stop();
		damage(join(dataDir, "latchkey.db"), "audit_events");
	});
	after(() => service.stop());

	it("ends audit verify with the status of damage, and one line", async () => {
		const { code, stderr } = await runCommand(["audit", "verify"], { env: { LATCHKEY_DATA_DIR: dataDir } });
		assert.match(
			stderr,
			/^latchkey: database \S+latchkey\.db cannot be used: database disk image is malformed\n$/m,
		);
		assert.equal(code, EXIT_STATUS.damaged);
	});

	it("returns 503 for what needs the page, serves the rest, and is reported by the health check", async () => {
		service = await startTestService({ dataDir, metrics: true });
		const healthy = await service.call<Health>("GET", HEALTH);
		assert.deepEqual([healthy.status, healthy.body.data.checks.database_integrity], [200, "ok"]);
		const events = await service.call("GET", "/api/v1/audit-events", { token });
		assert.deepEqual([events.status, events.headers["retry-after"]], [503, "1"]);
		assert.equal((await service.call("GET", "/api/v1/users/me", { token })).status, 200);
		const damaged = await service.call<Health>("GET", HEALTH);
		assert.deepEqual([damaged.status, damaged.body.data.checks.database_integrity], [200, "degraded"]);
	});
});
