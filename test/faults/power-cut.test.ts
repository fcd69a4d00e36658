// Cuts the power under load: of the writes that no sync followed, the disk has none, or any sectors. Every acknowledged
// write exists, complete, and no nonce is accepted again.

import assert from "node:assert/strict";
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { before, describe, test } from "node:test";
import { WHOAMI } from "../harness/access/signed-wire.ts";
import { storedAs, storedNonces } from "../harness/databases/claimed-nonces.ts";
import {
	Disk,
	type DiskRecord,
	type Fate,
	readRecords,
	recordingOf,
} from "../harness/databases/power-cut.ts";
import { runCommand } from "../harness/processes/command.ts";
import { ownSettings, startProgram } from "../harness/processes/program.ts";
import { createProgramClient, type ProgramClient } from "../harness/processes/program-client.ts";
import { skippedWithout } from "../harness/processes/server-process.ts";
import { atDepth } from "../harness/runs/depth.ts";
import { lastingFolder } from "../harness/runs/folder.ts";
import { ADMIN, type Credentials } from "../harness/service/service.ts";

const CUTS = atDepth({ quick: 1, all: 12, long: 200 });
/** Enough for several checkpoints, which write the database file, in `test:long`. */
const ACKNOWLEDGED = atDepth({ quick: 100, all: 600, long: 8_000 });
/** After how many cuts one is followed by a start of the service. */
const STARTED_EACH = atDepth({ quick: 1, all: 12, long: 20 });
const CALLERS = 8;
const REPLAYED = 20;
const DATABASE = ["latchkey.db", "latchkey.db-wal"];

/** A response that acknowledged a write, on the clock of the records. */
interface Acknowledged {
	readonly id: string;
	readonly atNs: bigint;
}

describe("a power cut under load", { skip: skippedWithout("cc") }, () => {
	const folder = lastingFolder();
	const dataDir = join(folder, "data");
	const cutDir = join(folder, "cut");
	const requests: Acknowledged[] = [];
	const nonces: Acknowledged[] = [];
	let env: Record<string, string>;
	let client: Credentials;
	let records: DiskRecord[];
	let filesBefore: Map<string, Buffer>;

	before(async () => {
		env = { ...(await ownSettings(dataDir)), LATCHKEY_ADMIN_PASSWORD: ADMIN.password };
		const first = await startProgram({ env });
		const admin = createProgramClient(first);
		client = await admin.addApiClient(await admin.signIn(ADMIN.password));
		admin.close();
		first.kill("SIGTERM");
		await first.exited;
		filesBefore = readFiles(dataDir);
		const program = await startProgram({ env: { ...env, ...recordingOf(dataDir, folder) } });
		const caller = createProgramClient(program);
		await loadUntilKilled(caller, () => program.kill("SIGKILL"));
		caller.close();
		await program.exited;
		records = readRecords(folder).filter(({ file }) => DATABASE.includes(file));
	});

	/** Eight callers submit access requests, and eight send signed calls, until the process is gone. */
	async function loadUntilKilled(caller: ProgramClient, kill: () => void): Promise<void> {
		const acknowledge = (list: Acknowledged[], id: string): void => {
			list.push({ id, atNs: process.hrtime.bigint() });
			if (requests.length + nonces.length === ACKNOWLEDGED) kill();
		};
		const submit = async (worker: number): Promise<void> => {
			for (let sent = 0; ; sent++) {
				const body = {
					applicant_name: "Ada Lovelace",
					email: `applicant-${worker}-${sent}@partner.example`,
					project_name: "Engine",
					purpose: "To compute Bernoulli numbers.",
				};
				const response = await caller.call("POST", "/api/v1/access-requests", { body });
				if (response.status === 201) acknowledge(requests, response.body.id);
			}
		};
		const sign = async (): Promise<void> => {
			for (;;) {
				const nonce = crypto.randomUUID();
				const response = await caller.signed(client, "GET", WHOAMI, { nonce });
				if (response.status === 200) acknowledge(nonces, nonce);
			}
		};
		await Promise.allSettled(
			Array.from({ length: 2 * CALLERS }, (_, worker) => (worker < CALLERS ? submit(worker) : sign())),
		);
	}

	test("loses no acknowledged write, and leaves an intact database", async (t) => {
		assert.ok(requests.length > 20 && nonces.length > 20, "there was hardly any load");
		const cuts = chooseCuts(records);
		const disk = new Disk(filesBefore);
		let [replayed, checked, dropped] = [0, 0, 0];
		for (const [index, cut] of cuts.entries()) {
			for (; replayed < cut; replayed++) disk.replay(records[replayed] as DiskRecord);
			const cutAtNs = records[cut - 1]?.atNs ?? 0n;
			const isBefore = ({ atNs }: Acknowledged): boolean => atNs < cutAtNs;
			const kept = { requests: requests.filter(isBefore), nonces: nonces.filter(isBefore) };
			const fate: Fate = index % 2 === 0 ? "dropped" : "torn";
			placeFiles(disk.afterCut(fate));
			const found = await readBack();
			const lost = [
				...kept.requests.filter(({ id }) => !found.requests.has(id)),
				...kept.nonces.filter(({ id }) => !found.nonces.has(storedAs(found.clientId, id))),
			];
			assert.equal(lost.length, 0, `lost after cut ${cut} of ${records.length}, ${fate}`);
			checked += kept.requests.length + kept.nonces.length;
			dropped += found.requests.size < requests.length ? 1 : 0;
			if (index % STARTED_EACH === STARTED_EACH - 1) await checkStart(kept.nonces.slice(-REPLAYED));
		}
		const checkpoints = records.filter(({ kind, file }) => kind === "sync" && file === "latchkey.db").length;
		t.diagnostic(
			`${cuts.length} cuts in ${records.length} writes and syncs, ${checkpoints} syncs of the database file: ${checked} acknowledged writes checked, 0 lost; ${dropped} cuts before the last submission`,
		);
		assert.ok(dropped > 0, "no cut changed anything");
	});

	/** Ascending places in the records: half of them anywhere, half around a sync, where orders matter. */
	function chooseCuts(all: readonly DiskRecord[]): number[] {
		const syncs = all.flatMap(({ kind }, index) => (kind === "sync" ? [index] : []));
		const rare = syncs.filter((index) => all[index]?.file === "latchkey.db");
		const anywhere = (): number => 1 + Math.floor(Math.random() * all.length);
		const chosen = Array.from({ length: CUTS }, (_, index) => {
			if (index % 2 === 0) return anywhere();
			const from = index % 4 === 1 && rare.length > 0 ? rare : syncs;
			return (from[Math.floor(Math.random() * from.length)] ?? 1) + Math.floor(Math.random() * 3);
		});
		return chosen.map((cut) => Math.min(all.length, Math.max(1, cut))).sort((one, other) => one - other);
	}

	function placeFiles(files: ReadonlyMap<string, Buffer>): void {
		rmSync(cutDir, { recursive: true, force: true });
		mkdirSync(cutDir, { mode: 0o700 });
		cpSync(join(dataDir, "master.key"), join(cutDir, "master.key"));
		for (const [file, bytes] of files) writeFileSync(join(cutDir, file), bytes);
	}

	/** Opens the files, as a start after the cut does. */
	async function readBack(): Promise<{ requests: Set<unknown>; nonces: Set<string>; clientId: string }> {
		const database = new DatabaseSync(join(cutDir, "latchkey.db"));
		try {
			const column = (sql: string): unknown[] => database.prepare(sql).all().flatMap(Object.values);
			assert.deepEqual(column("PRAGMA integrity_check"), ["ok"]);
			const audited = column("SELECT count(*) FROM audit_events WHERE action = 'access_request.submitted'");
			const found = new Set(column("SELECT id FROM requests"));
			assert.deepEqual(audited, [found.size], "transactions are whole");
			const [clientId] = column(`SELECT id FROM api_clients WHERE api_key = '${client.api_key}'`);
			const claimed = await storedNonces((sql) => column(sql).map(String));
			return { requests: found, nonces: claimed, clientId: String(clientId) };
		} finally {
			database.close();
		}
	}

	/** Starts the service on the files: it accepts none of these nonces. */
	async function checkStart(used: readonly Acknowledged[]): Promise<void> {
		const settings = { ...env, LATCHKEY_DATA_DIR: cutDir };
		const verified = await runCommand(["audit", "verify"], { env: settings });
		assert.equal(verified.code, 0, verified.stdout + verified.stderr);
		const program = await startProgram({ env: settings });
		const caller = createProgramClient(program);
		try {
			for (const { id } of used)
				assert.equal((await caller.signed(client, "GET", WHOAMI, { nonce: id })).status, 401, id);
			assert.equal((await caller.signed(client, "GET", WHOAMI)).status, 200, "a new call");
		} finally {
			caller.close();
			await program.end();
		}
	}
});

function readFiles(dataDir: string): Map<string, Buffer> {
	const present = DATABASE.filter((name) => existsSync(join(dataDir, name)));
	return new Map(present.map((name) => [name, readFileSync(join(dataDir, name))]));
}
