// Runs the delivered commands as the service's user, who can read but not write the checkout.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import {
	chmodSync,
	chownSync,
	cpSync,
	existsSync,
	mkdirSync,
	readdirSync,
	rmSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { promisify } from "node:util";
import { readDocument } from "../docs/document.ts";
import { ownSettings, type ReadyProgram, runProgram, startProgram } from "../harness/processes/program.ts";
import { temporaryFolder } from "../harness/runs/folder.ts";
import { makeInstallation } from "../harness/service/installation.ts";
import { DEPLOY, readDelivered } from "./delivered.ts";

const ROOT = join(DEPLOY, "..");
const USER = { uid: 12_345, gid: 12_345 };
/** Not skipped if `CI` is set: without root, the tests fail there. */
const skip =
	process.env.CI === undefined && process.getuid?.() !== 0
		? "only root runs commands as another user"
		: false;
const run = promisify(execFile);

/** The command lines of a unit, as systemd splits them. */
function commandsOf(unit: string): string[][] {
	return [...unit.matchAll(/^ExecStart=(.+)$/gm)].map(([, line = ""]) =>
		[...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, bare]) =>
			(quoted ?? bare ?? "").replaceAll("%%", "%").replaceAll("$$", () => "$"),
		),
	);
}

test("the launchers are executable in git, so that npm ci changes neither", async () => {
	const { stdout } = await run("git", ["-c", "safe.directory=*", "ls-files", "--stage", "bin"], {
		cwd: ROOT,
	});
	const modes = stdout.trim().split("\n");
	assert.equal(modes.length, 2);
	for (const line of modes) assert.match(line, /^100755 /);
});

describe("as another user, in a checkout that root owns", { skip }, () => {
	// Always on disk, because the packages are large and hard links to them take no space.
	const folder = temporaryFolder("/tmp");
	const within = (path: string) => join(folder.path, path);
	/** The delivered text with the paths of this test. */
	const inPlace = (text: string) =>
		text.replaceAll(/\/(?:usr\/local\/bin|var\/backups|etc)\/latchkey/g, (path) => within(path));
	let program: ReadyProgram;

	before(async () => {
		const app = within("opt/latchkey");
		for (const path of ["opt/latchkey", "etc/latchkey", "usr/local/bin"])
			mkdirSync(within(path), { recursive: true });
		for (const path of ["bin", "docs", "packages", "src", "package.json"])
			cpSync(join(ROOT, path), join(app, path), { recursive: true });
		await run("sh", ["-c", 'cp -al "$0" "$1" || cp -a "$0" "$1"', join(ROOT, "node_modules"), app]);
		chmodSync(folder.path, 0o755);
		symlinkSync(join(app, "bin/latchkey"), within("usr/local/bin/latchkey"));
		for (const path of ["var/lib/latchkey", "var/backups/latchkey"]) {
			mkdirSync(within(path), { recursive: true, mode: 0o700 });
			chmodSync(join(within(path), ".."), 0o755);
			chmodSync(join(within(path), "../.."), 0o755);
			chownSync(within(path), USER.uid, USER.gid);
		}
		const settings = Object.entries(await ownSettings(within("var/lib/latchkey")));
		writeFileSync(
			within("etc/latchkey/latchkey.env"),
			settings.map(([name, value]) => `${name}=${value}\n`).join(""),
		);
		const [[launcher = "", ...args] = []] = commandsOf(inPlace(readDelivered("systemd/latchkey.service")));
		assert.deepEqual(args, ["serve"]);
		program = await startProgram({ node: "/bin/sh", entry: launcher, env: env(), cwd: "/", owner: USER });
	});
	after(async () => {
		await program?.end();
		folder[Symbol.dispose]();
	});
	const env = () => ({
		LATCHKEY_CONFIG: within("etc/latchkey/latchkey.env"),
		PATH: "/usr/bin:/bin",
		HOME: "/",
	});

	test("the service runs", async () => {
		assert.equal((await fetch(`${program.httpUrl}/health`)).status, 200);
	});

	test("a user without access to the data directory gets that reason instead of an absent directory", async () => {
		const launcher = within("usr/local/bin/latchkey");
		const other = { uid: USER.uid + 1, gid: USER.gid + 1 };
		const options = { node: "/bin/sh", entry: launcher, cwd: "/", owner: other };
		const { PATH, HOME } = env();
		const own = { PATH, HOME, LATCHKEY_DATA_DIR: within("var/lib/latchkey") };
		for (const args of [["doctor"], ["keys", "list"], ["backup", "-"], ["rekey", "--new-key"]]) {
			const { code, stdout, stderr } = await runProgram(args, { ...options, env: own });
			assert.equal(code, 1);
			assert.match(stdout + stderr, /latchkey\.db cannot be read \(EACCES\); run this as the service's user/);
		}
	});

	test("a file of the database that the user cannot write stops a start, by name", async () => {
		const dataDir = within("var/lib/unwritable");
		const settings = await ownSettings(dataDir);
		await makeInstallation(settings);
		const paths = ["", ...readdirSync(dataDir)].map((name) => join(dataDir, name));
		for (const path of paths) chownSync(path, USER.uid, USER.gid);
		const { PATH, HOME } = env();
		const launcher = within("usr/local/bin/latchkey");
		const options = { node: "/bin/sh", entry: launcher, cwd: "/", owner: USER };
		for (const [name, command] of [
			["latchkey.db", "serve"],
			["latchkey.db-wal", "serve"],
			["latchkey.db-shm", "doctor"],
		] as const) {
			const file = join(dataDir, name);
			const isPart = existsSync(file);
			if (!isPart) writeFileSync(file, "");
			chownSync(file, 0, 0);
			chmodSync(file, 0o644);
			const exit = await runProgram([command], { ...options, env: { ...settings, PATH, HOME } });
			assert.equal(exit.code, 1, name);
			assert.match(
				exit.stdout + exit.stderr,
				new RegExp(`database file \\S+/${name} cannot be written \\(EACCES\\);`),
			);
			if (isPart) chownSync(file, USER.uid, USER.gid);
			else rmSync(file);
		}
	});

	test("the timer creates a backup", async () => {
		for (const [command = "", ...args] of commandsOf(
			inPlace(readDelivered("systemd/latchkey-backup.service")),
		))
			await run(command, args, { ...USER, cwd: "/", env: env() });
		assert.match(readdirSync(within("var/backups/latchkey")).join(), /^\d{4}-\d{2}-\d{2}\.gz$/);
	});

	test("the documented cron job creates a backup", async () => {
		for (const name of readdirSync(within("var/backups/latchkey")))
			rmSync(within(`var/backups/latchkey/${name}`));
		const [, line = ""] = /^0 2 \* \* \* +(.+)$/m.exec(readDocument("docs/backup-and-restore.md")) ?? [];
		const { PATH, HOME } = env();
		await run("sh", ["-c", inPlace(line).replaceAll("\\%", "%")], { ...USER, cwd: "/", env: { PATH, HOME } });
		assert.match(readdirSync(within("var/backups/latchkey")).join(), /^\d{4}-\d{2}-\d{2}\.gz$/);
	});
});
