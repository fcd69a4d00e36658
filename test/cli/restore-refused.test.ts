// Refused files and targets of a restore: one line, and nothing is changed.

import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { describe, test } from "node:test";
import { gunzipSync, gzipSync } from "node:zlib";
import { readBackupFile } from "../../src/adapters/files/backup-file.ts";
import { SCHEMA_VERSION } from "../../src/adapters/migrations/migrate.ts";
import { parseMasterKeys, SecretBox } from "../../src/crypto/secret-box.ts";
import { BackupError, type BackupHeader } from "../../src/domain/backup.ts";
import { readBackup } from "../../src/ops/copy/read-backup.ts";
import { backupText } from "../../src/ops/copy/write-backup.ts";
import { mountSmallDisk, unmount } from "../harness/databases/small-disk.ts";
import { runCommand } from "../harness/processes/command.ts";
import { runProgram } from "../harness/processes/program.ts";
import { fixture, setup } from "../harness/runs/fixture.ts";
import { lastingFolder, snapshot } from "../harness/runs/folder.ts";
import { MASTER_KEY, makePlace } from "../harness/service/installation.ts";

const box = new SecretBox(parseMasterKeys(MASTER_KEY));
const macKey = box.deriveKey("backup");
const folder = lastingFolder();
const good = join(folder, "good.gz");
const source = fixture(() => makePlace("sqlite"), "remove");
setup(async () => {
	await (await source.serve()).stop();
	assert.equal((await source.run(["backup", good])).code, 0);
});

/** Restores into an empty target, and asserts the line and that no folder was created. */
async function refuse(
	file: string,
	line: RegExp,
	{ env = {}, status = 5 }: { env?: Readonly<Record<string, string>>; status?: number } = {},
): Promise<void> {
	const place = await makePlace("sqlite");
	try {
		const { code, stdout, stderr } = await place.run(["restore", file], { env });
		assert.deepEqual([code, stdout], [status, ""]);
		assert.match(stderr, /^latchkey: [^\n]+\n$/);
		assert.match(stderr, line);
		assert.deepEqual(snapshot(place.dataDir), []);
	} finally {
		await place.remove();
	}
}

function fileOf(name: string, content: Buffer | string): string {
	const path = join(folder, name);
	writeFileSync(path, content);
	return path;
}

/** A file with any content and a valid HMAC of the master key. */
/** RFC 1952, section 2.3. */
const HEADER_BYTES = 10;

async function forged(name: string, header: Partial<BackupHeader>): Promise<string> {
	const whole: BackupHeader = {
		format: "latchkey backup",
		version: 1,
		latchkey: "9.9.9",
		schema: SCHEMA_VERSION,
		engine: "sqlite",
		created_at: new Date().toISOString(),
		master_key: box.keyId,
		...header,
	};
	const nothing = { tables: [], rows: () => Readable.from([]) };
	let text = "";
	for await (const piece of backupText(nothing, { header: whole, macKey, progress: () => undefined }))
		text += piece;
	return fileOf(name, gzipSync(text));
}

describe("latchkey restore", () => {
	test("refuses a file that is not a backup, and a truncated one", async () => {
		const bytes = readFileSync(good);
		const flipped = Buffer.from(bytes);
		flipped.writeUInt8(flipped.readUInt8(bytes.length >> 1) ^ 4, bytes.length >> 1);
		const edited = gunzipSync(bytes).toString().replace('"admin,platform_admin"', '"admin,platform_owner"');
		await refuse(join(folder, "none.gz"), /none\.gz does not exist$/m, { status: 3 });
		await refuse(folder, /cannot be read \(EISDIR\)$/m, { status: 1 });
		await refuse(fileOf("text.gz", "hello\n"), /text\.gz was not created by latchkey backup$/m);
		await refuse(
			fileOf("foreign.gz", gzipSync("hello\n")),
			/foreign\.gz was not created by latchkey backup$/m,
		);
		await refuse(fileOf("empty.gz", ""), /empty\.gz is damaged: it is truncated$/m);
		await refuse(
			fileOf("half.gz", bytes.subarray(0, bytes.length >> 1)),
			/half\.gz is damaged: it is truncated$/m,
		);
		await refuse(fileOf("short.gz", bytes.subarray(0, -1)), /short\.gz is damaged: it is truncated$/m);
		await refuse(fileOf("flipped.gz", flipped), /flipped\.gz is damaged: /m);
		await refuse(fileOf("edited.gz", gzipSync(edited)), /edited\.gz is damaged: its content was changed/m);
	});

	test("refuses a backup in which any bit was flipped", async () => {
		const bytes = readFileSync(good);
		const whole = gunzipSync(bytes).toString();
		const options = { keyIds: [box.keyId], macKeyOf: () => macKey };
		const padding: number[] = [];
		for (let at = 0; at < bytes.length; at += 29) {
			const flipped = Buffer.from(bytes);
			flipped.writeUInt8(flipped.readUInt8(at) ^ (1 << (at % 8)), at);
			const file = fileOf("bit.gz", flipped);
			let text = "";
			try {
				for await (const piece of readBackupFile(file)) text += piece;
				for await (const _ of readBackup(readBackupFile(file), options));
				// Some bits carry no content: the time in the gzip header, and the padding of blocks.
				assert.equal(text, whole, `byte ${at} of ${bytes.length}`);
				if (at >= HEADER_BYTES) padding.push(at);
			} catch (error) {
				assert.ok(error instanceof BackupError, String(error));
			}
		}
		assert.ok(padding.length <= 2, `accepts flipped bits in the bytes ${padding} of ${bytes.length}`);
	});

	test("names the missing master key", async () => {
		const other = Buffer.alloc(32, 6).toString("base64");
		const { keyId } = new SecretBox(parseMasterKeys(other));
		await refuse(
			good,
			new RegExp(`good\\.gz needs master key ${box.keyId}, which is not among the keys given \\(${keyId}\\)`),
			{ env: { LATCHKEY_MASTER_KEY: other }, status: 1 },
		);
		const place = await makePlace("sqlite");
		const { LATCHKEY_MASTER_KEY: _, ...keyless } = place.env;
		mkdirSync(place.dataDir, { mode: 0o700 });
		const settings = fileOf(
			"keyless.env",
			Object.entries(keyless)
				.map((entry) => `${entry.join("=")}\n`)
				.join(""),
		);
		const { code, stderr } = await runCommand(["restore", good], { env: { LATCHKEY_CONFIG: settings } });
		assert.equal(code, 1);
		assert.match(
			stderr,
			/^latchkey: the master key is missing: copy the key of the installation to \S+master\.key, [^\n]+\n$/,
		);
		assert.deepEqual(snapshot(place.dataDir).length, 1);
		// With the old key added, it can be restored, in either order of the keys.
		const { stdout } = await place.run(["restore", good], {
			env: { LATCHKEY_MASTER_KEY: `${other},${MASTER_KEY}` },
		});
		assert.match(stdout, /^restored /);
		await place.remove();
	});

	test("refuses a newer schema or format, a time in the future, and a missing table", async () => {
		await refuse(
			await forged("newer.gz", { schema: SCHEMA_VERSION + 1 }),
			/newer\.gz has schema \d+, this version of latchkey supports up to \d+: use latchkey 9\.9\.9 or newer$/m,
			{ status: 1 },
		);
		const text = gunzipSync(readFileSync(good)).toString();
		await refuse(
			fileOf("format.gz", gzipSync(text.replace('"version":1', '"version":2'))),
			/has format 2, this version of latchkey supports 1/,
			{ status: 1 },
		);
		await refuse(
			await forged("future.gz", { created_at: "2999-01-01T00:00:00.000Z" }),
			/future\.gz was created at 2999-01-01T00:00:00\.000Z, but the clock here says \S+: set the clock$/m,
			{ status: 1 },
		);
		const place = await makePlace("sqlite");
		const { code, stderr } = await place.run(["restore", await forged("lacking.gz", {})]);
		assert.equal(code, 5);
		assert.match(stderr, /^latchkey: \S+lacking\.gz lacks the table \w+ of its schema\n$/);
		assert.deepEqual(
			snapshot(place.dataDir).filter((line) => line.includes(".db")),
			[],
		);
		await place.remove();
	});

	test("replaces a database that was created but never used", async () => {
		const place = await makePlace("sqlite");
		assert.equal((await place.run(["migrate"])).code, 0);
		const { code, stdout, stderr } = await place.run(["restore", good]);
		assert.equal(code, 0, stderr);
		assert.match(stdout, /^restored /);
		await place.remove();
	});

	test("keeps a database of a newer version", async () => {
		const place = await makePlace("sqlite");
		assert.equal((await place.run(["restore", good])).code, 0);
		const engine = await place.open();
		await engine.queries.run(
			"INSERT INTO schema_migrations (version, name, applied_at) VALUES ($1, 'later', 0)",
			SCHEMA_VERSION + 1,
		);
		await engine.close();
		const { code, stderr } = await place.run(["restore", "--replace", good]);
		assert.match(
			stderr,
			/^latchkey: the database has schema \d+, this version of latchkey supports up to \d+: use an empty database, [^\n]+\n$/,
		);
		assert.equal(code, 1);
		await place.remove();
	});
});

describe("latchkey backup", () => {
	test("overwrites nothing, and refuses a target that it cannot write", async () => {
		const before = statSync(good);
		const again = await source.run(["backup", good]);
		assert.match(again.stderr, /^latchkey: \S+good\.gz already exists: specify a new file\n$/m);
		assert.deepEqual([again.code, statSync(good).ino], [4, before.ino]);
		const nowhere = await source.run(["backup", join(folder, "no", "such", "folder.gz")]);
		assert.match(nowhere.stderr, /^latchkey: directory \S+such does not exist: create it first\n$/m);
		assert.equal(nowhere.code, 3);
	});

	test("refuses without an installation, and creates nothing", async () => {
		const place = await makePlace("sqlite");
		const { code, stderr } = await place.run(["backup", join(folder, "nothing.gz")]);
		assert.equal(code, 3);
		assert.match(stderr, /^latchkey: \S+latchkey\.db does not exist yet: there is nothing to back up\n$/);
		assert.deepEqual(snapshot(place.dataDir), []);
		await place.remove();
	});

	test("contains no readable Secret, password, or token", () => {
		const text = gunzipSync(readFileSync(good)).toString();
		assert.ok(!text.includes(MASTER_KEY));
		assert.ok(!text.includes("correct horse battery staple"));
		assert.ok(!/"sk_/.test(text));
	});
});

test("a disk without room for twice the database is refused before anything is changed", async (t) => {
	const disk = mountSmallDisk(2);
	if (disk === undefined) {
		t.skip("no permission to mount");
		return;
	}
	try {
		const dataDir = join(disk, "data");
		const { code, stderr } = await source.run(["restore", good], { env: { LATCHKEY_DATA_DIR: dataDir } });
		assert.equal(code, 4);
		assert.match(
			stderr,
			/^latchkey: a restore needs twice the space of the database, here at least \d MB, and \d MB are free at /,
		);
		assert.match(stderr, /or set LATCHKEY_DATA_DIR to a larger disk\n$/);
		assert.deepEqual(snapshot(dataDir), []);
		const env = { LATCHKEY_MASTER_KEY: MASTER_KEY, TMPDIR: disk };
		const check = await runProgram(["restore", "--check", good], { env });
		assert.equal(check.code, 4);
		assert.match(check.stderr, / MB are free at \S+: free up space, or set TMPDIR to a larger disk\n$/);
		assert.deepEqual(readdirSync(disk), []);
	} finally {
		unmount(disk);
	}
});
