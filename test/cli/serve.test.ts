import assert from "node:assert/strict";
import { chmodSync, cpSync, mkdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { EXIT_STATUS } from "../../src/cli/exit-status.ts";
import { runCommand } from "../harness/processes/command.ts";
import {
	freePorts,
	ownSettings,
	type ReadyProgram,
	spawnProgram,
	startProgram,
	whenReady,
} from "../harness/processes/program.ts";
import { fixture, setup } from "../harness/runs/fixture.ts";
import { copyOf, lastingFolder, snapshot, temporaryFolder } from "../harness/runs/folder.ts";

const FIRST_ADMIN = /^first admin: (\S+) {2}password: (\S+) {2}\(shown only this once\)$/m;
const OTHER_KEY = Buffer.alloc(32, 7).toString("base64");

/** Asserts that a start in this process fails with this one line and changes nothing in the folder. */
async function refuses(
	dataDir: string,
	settings: Readonly<Record<string, string>>,
	line: RegExp,
	status: keyof typeof EXIT_STATUS = "failed",
	options: readonly string[] = [],
): Promise<void> {
	const earlier = snapshot(dataDir);
	const env = { ...(await ownSettings(dataDir)), ...settings };
	const { code, stdout, stderr } = await runCommand(["serve", ...options], { env });
	assert.match(stderr, line);
	assert.match(stderr, /^latchkey: [^\n]+\n$/);
	assert.equal(stdout, "");
	assert.equal(code, EXIT_STATUS[status]);
	assert.deepEqual(snapshot(dataDir), earlier);
}

describe("latchkey serve", () => {
	const root = lastingFolder();
	/** A stopped installation, created by a real first start. */
	const home = join(root, "deep", "data");
	const settings = fixture(() => ownSettings(home));
	const first = fixture(() => startProgram({ env: settings }));
	setup(async () => {
		first.kill("SIGTERM");
		await first.exited;
	});

	test("a first start creates every file with a private mode, and prints the ready line last", async () => {
		const lines = first.stdout().trimEnd().split("\n");
		assert.equal(lines.length, 2);
		assert.match(lines[0] ?? "", FIRST_ADMIN);
		const urls = `http://127.0.0.1:${settings.LATCHKEY_PORT} https://127.0.0.1:${settings.LATCHKEY_HTTPS_PORT}`;
		assert.equal(lines[1], `latchkey ready ${urls}`);
		assert.equal(statSync(home).mode & 0o777, 0o700);
		for (const file of ["master.key", "tls-key.pem", "tls-cert.pem", "latchkey.lock"])
			assert.equal(statSync(join(home, file)).mode & 0o777, 0o600, file);
	});

	describe("a second start, in a folder without the lock file,", () => {
		const folder = lastingFolder();
		const env = fixture(() => ownSettings(folder));
		let program: ReadyProgram;
		setup(async () => {
			cpSync(home, folder, { recursive: true, filter: (path) => !path.endsWith(".lock") });
			program = await startProgram({ env });
		});
		after(() => program.end());
		const post = (path: string, body: object): Promise<Response> =>
			fetch(`${program.httpUrl}/api/v1/${path}`, {
				method: "POST",
				headers: { "content-type": "application/json" },
				body: JSON.stringify(body),
			});

		test("prints no password, because that of the first start still works", async () => {
			assert.match(program.stdout(), /^latchkey ready http:\S+ https:\S+\n$/);
			const [, username, password] = FIRST_ADMIN.exec(first.stdout()) ?? [];
			assert.equal((await post("auth/login", { username, password })).status, 200);
		});

		test("keeps another process out of the data directory, on the same or on other ports", async () => {
			for (const settings of [await ownSettings(folder), env]) {
				const { code, stderr, stdout } = await runCommand(["serve"], { env: settings });
				assert.match(stderr, /^latchkey: data directory \S+ is in use by another latchkey process\n$/);
				assert.deepEqual([code, stdout], [EXIT_STATUS.refused, ""]);
			}
			assert.equal((await fetch(`${program.httpUrl}/health`)).status, 200);
		});

		test("is killed with -9, and the next start has all acknowledged data", async () => {
			const request = { applicant_name: "A", email: "a@b.example", project_name: "P", purpose: "none" };
			assert.equal((await post("access-requests", request)).status, 201);
			await program.end();
			program = await startProgram({ env });
			assert.equal((await post("access-requests", request)).status, 409);
		});
	});

	test("a configured first password is used and not printed", async () => {
		using folder = temporaryFolder();
		const env = { ...(await ownSettings(folder.path)), LATCHKEY_ADMIN_PASSWORD: "configured for this test" };
		const program = await startProgram({ env });
		await program.end();
		assert.doesNotMatch(program.stdout() + program.stderr(), /configured for this test|password:/);
	});

	test("--new creates a database in place of a lost one", async () => {
		using folder = copyOf(home);
		rmSync(join(folder.path, "latchkey.db"));
		const program = spawnProgram(["serve", "--new"], { env: await ownSettings(folder.path) });
		await whenReady(program);
		await program.end();
		assert.match(program.stdout(), FIRST_ADMIN);
	});

	describe("is refused, and changes nothing, with", () => {
		test("a master key that is too short, open to other users, or a directory", async () => {
			using folder = copyOf(home);
			const file = join(folder.path, "master.key");
			writeFileSync(file, "c2hvcnQ=\n");
			await refuses(folder.path, {}, /master\.key must contain 32 bytes in base64/);
			chmodSync(file, 0o644);
			await refuses(
				folder.path,
				{},
				/master\.key is open to other users \(mode 0644\); close it with chmod 600/,
			);
			rmSync(file);
			mkdirSync(file);
			await refuses(folder.path, {}, /master\.key cannot be read \(EISDIR\)/);
		});

		test("a configured master key file that does not exist, before the folder exists", async () => {
			using folder = temporaryFolder();
			const named = { LATCHKEY_MASTER_KEY_FILE: join(folder.path, "none.key") };
			await refuses(join(folder.path, "data"), named, /none\.key .*does not exist/);
		});

		test("a list of breached passwords or a directory of mail texts that does not exist", async () => {
			using folder = temporaryFolder();
			const missing = join(folder.path, "none");
			const dataDir = join(folder.path, "data");
			const list = { LATCHKEY_BREACHED_PASSWORDS: missing };
			await refuses(dataDir, list, /LATCHKEY_BREACHED_PASSWORDS: \S+none does not exist\n$/);
			const texts = { LATCHKEY_MAIL_TEXTS: missing };
			await refuses(dataDir, texts, /: LATCHKEY_MAIL_TEXTS \S+none does not exist\n$/);
		});

		test("no master key beside a database", async () => {
			using folder = copyOf(home);
			rmSync(join(folder.path, "master.key"));
			await refuses(
				folder.path,
				{},
				/master\.key is missing, but the database contains secrets encrypted with it/,
			);
		});

		test("a missing or empty database beside a master key or a mark", async () => {
			using folder = copyOf(home);
			const file = join(folder.path, "latchkey.db");
			rmSync(file);
			const line = (left: string) =>
				new RegExp(`latchkey\\.db is missing or empty, but \\S+${left} exists: `);
			await refuses(folder.path, {}, line("master\\.key"), "refused");
			writeFileSync(file, "", { mode: 0o600 });
			await refuses(folder.path, {}, line("master\\.key"), "refused");
			const { code, stderr } = await runCommand(["migrate"], { env: { LATCHKEY_DATA_DIR: folder.path } });
			assert.match(stderr, line("master\\.key"));
			assert.equal(code, EXIT_STATUS.refused);
			rmSync(join(folder.path, "master.key"));
			await refuses(folder.path, { LATCHKEY_MASTER_KEY: OTHER_KEY }, line("latchkey\\.db\\.mark"), "refused");
		});

		test("--new beside a database", async () => {
			using folder = copyOf(home);
			await refuses(folder.path, {}, /latchkey\.db exists: start without --new/, "refused", ["--new"]);
		});

		test("another master key than the database's", async () => {
			using folder = copyOf(home);
			await refuses(
				folder.path,
				{ LATCHKEY_MASTER_KEY: OTHER_KEY },
				/does not belong to this database: sealed with master key/,
			);
		});

		test("an invalid or unknown setting", async () => {
			using folder = temporaryFolder();
			const dataDir = join(folder.path, "data");
			await refuses(dataDir, { LATCHKEY_PORT: "80x" }, /LATCHKEY_PORT is "80x"; it must be a whole number/);
			await refuses(
				dataDir,
				{ LATCHKEY_PROT: "80" },
				/LATCHKEY_PROT is not a setting; did you mean LATCHKEY_PORT\?/,
			);
			const tls = {
				LATCHKEY_TLS_CERT: join(folder.path, "c.pem"),
				LATCHKEY_TLS_KEY: join(folder.path, "k.pem"),
			};
			await refuses(dataDir, tls, /certificate \S+c\.pem does not exist/);
		});

		test("a refused first password, without creating the folder", async () => {
			using folder = temporaryFolder();
			const common = { LATCHKEY_ADMIN_PASSWORD: "password123" };
			await refuses(join(folder.path, "data"), common, /LATCHKEY_ADMIN_PASSWORD is not acceptable: .*common/);
		});

		test("a port in use, before the first password is generated", async () => {
			using folder = temporaryFolder();
			const dataDir = join(folder.path, "data");
			const [port = 0] = await freePorts(1);
			const squatter = createServer().listen(port, "127.0.0.1");
			try {
				for (const name of ["LATCHKEY_PORT", "LATCHKEY_HTTPS_PORT"]) {
					const line = new RegExp(
						`port ${port} on 127\\.0\\.0\\.1 \\(${name}\\) is in use by another program`,
					);
					await refuses(dataDir, { [name]: String(port) }, line);
				}
			} finally {
				squatter.close();
			}
		});

		test("a host of another machine", async () => {
			using folder = temporaryFolder();
			const host = { LATCHKEY_HOST: "192.0.2.1" };
			await refuses(
				join(folder.path, "data"),
				host,
				/LATCHKEY_HOST 192\.0\.2\.1 cannot be used by a listener \(EADDRNOTAVAIL\)/,
			);
		});

		test("a file that is not a database", async () => {
			using folder = copyOf(home);
			writeFileSync(
				join(folder.path, "latchkey.db"),
				"this was never a database, however long it may be ".repeat(100),
			);
			await refuses(folder.path, {}, /latchkey\.db cannot be used: file is not a database/, "damaged");
		});
	});
});
