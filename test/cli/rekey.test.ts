import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { before, describe, test } from "node:test";
import { lockFolder } from "../../src/adapters/sqlite/folder-lock.ts";
import { randomBytes32 } from "../../src/crypto/random.ts";
import { parseMasterKeys, SecretBox } from "../../src/crypto/secret-box.ts";
import { runCommand } from "../harness/processes/command.ts";
import { type Exit, ownSettings } from "../harness/processes/program.ts";
import { copyOf, lastingFolder } from "../harness/runs/folder.ts";
import { makeInstallation } from "../harness/service/installation.ts";

const newKey = (): string => randomBytes32().toString("base64");
const idOf = (key: string): string => new SecretBox(parseMasterKeys(key)).keyId;

describe("latchkey rekey", () => {
	const root = lastingFolder();
	const home = join(root, "data");
	let oldKey: string;
	before(async () => {
		await makeInstallation(await ownSettings(home));
		oldKey = readFileSync(join(home, "master.key"), "utf8").trim();
	});

	const rekey = (dataDir: string, args: readonly string[] = [], env: Record<string, string> = {}) =>
		runCommand(["rekey", ...args], { env: { LATCHKEY_DATA_DIR: dataDir, ...env } });
	const refused = ({ code, stdout, stderr }: Exit, why: RegExp, status = 1): void => {
		assert.deepEqual([code, stdout], [status, ""]);
		assert.match(stderr, why);
		assert.equal(stderr.trim().split("\n").length, 1);
	};

	test("does nothing when the first key encrypts everything", async () => {
		const { code, stdout } = await rekey(home);
		assert.equal(code, 0);
		assert.equal(stdout, `0 secrets re-encrypted; everything is encrypted with master key ${idOf(oldKey)}\n`);
	});

	test("re-seals with the first key of the list, names the key that can be removed, and the service starts without it", async () => {
		using folder = copyOf(home);
		const next = newKey();
		const both = { LATCHKEY_MASTER_KEY: `${next},${oldKey}` };
		const unchecked = await rekey(folder.path, ["--check"], both);
		assert.equal(unchecked.code, 1);
		assert.match(
			unchecked.stdout,
			new RegExp(`^signing_keys\\.private_sealed {2}${idOf(oldKey)} \\(not the first key\\) {2}1$`, "m"),
		);
		const done = await rekey(folder.path, [], both);
		assert.equal(done.code, 0, done.stderr);
		assert.match(
			done.stdout,
			new RegExp(`^3 secrets re-encrypted; everything is encrypted with master key ${idOf(next)}$`, "m"),
		);
		assert.match(done.stdout, new RegExp(`^no longer needed in the list: ${idOf(oldKey)}$`, "m"));
		const checked = await rekey(folder.path, ["--check"], { LATCHKEY_MASTER_KEY: next });
		assert.equal(checked.code, 0);
		assert.match(checked.stdout, new RegExp(`everything is encrypted with master key ${idOf(next)}\n$`));
		// A second start, which fails if a secret cannot be decrypted.
		await makeInstallation({ ...(await ownSettings(folder.path)), LATCHKEY_MASTER_KEY: next });
	});

	test("names the key that is missing, and changes nothing", async () => {
		using folder = copyOf(home);
		const wrong = newKey();
		const missing = new RegExp(
			`^latchkey: master key ${idOf(oldKey)} is missing: 1 texts in \\w+\\.\\w+_sealed are encrypted with .* the configured keys are ${idOf(wrong)}; nothing was changed`,
		);
		refused(await rekey(folder.path, [], { LATCHKEY_MASTER_KEY: wrong }), missing);
		const { code, stderr } = await rekey(folder.path, ["--check"], { LATCHKEY_MASTER_KEY: wrong });
		assert.equal(code, 1);
		assert.match(stderr, missing);
		assert.equal((await rekey(folder.path)).code, 0);
	});

	test("--new-key changes the key in the data directory, with no service running", async () => {
		using folder = copyOf(home);
		const { code, stdout, stderr } = await rekey(folder.path, ["--new-key"]);
		assert.equal(code, 0, stderr);
		const now = readFileSync(join(folder.path, "master.key"), "utf8").trim();
		assert.notEqual(now, oldKey);
		assert.match(
			stdout,
			new RegExp(
				`^3 secrets re-encrypted; everything is encrypted with master key ${idOf(now)}\nback up master\\.key now; `,
			),
		);
		assert.equal(readFileSync(join(folder.path, "master.key.old"), "utf8").trim(), oldKey);
		assert.ok(!`${stdout}${stderr}`.includes(now.slice(0, 20)), "no key is printed");
	});

	test("--new-key completes an interrupted change with the key that it created", async () => {
		using folder = copyOf(home);
		const next = newKey();
		writeFileSync(join(folder.path, "master.key"), `${next},${oldKey}\n`, { mode: 0o600 });
		const { code, stdout } = await rekey(folder.path, ["--new-key"]);
		assert.equal(code, 0);
		assert.match(stdout, /\(an earlier, interrupted change was completed\)/);
		assert.equal(readFileSync(join(folder.path, "master.key"), "utf8"), `${next}\n`);
	});

	test("--new-key is refused while another change runs, and if the keys are configured", async () => {
		using folder = copyOf(home);
		const lock = lockFolder(folder.path, "latchkey.rekey.lock");
		try {
			refused(await rekey(folder.path, ["--new-key"]), /in use by another latchkey process/, 4);
		} finally {
			lock.release();
		}
		const configured = { LATCHKEY_MASTER_KEY: `${newKey()},${oldKey}` };
		refused(
			await rekey(folder.path, ["--new-key"], configured),
			/the master key is configured: add a new one/,
		);
		assert.equal(readFileSync(join(folder.path, "master.key"), "utf8").trim(), oldKey);
		refused(await rekey(folder.path, ["--new-key", "--check"]), /not both/, 2);
	});

	test("does nothing before the first start", async () => {
		const empty = join(root, "empty");
		refused(await rekey(empty), /does not exist yet; start the service once first/, 3);
		refused(await rekey(empty, ["--new-key"]), /does not exist yet; start the service once first/, 3);
	});
});
