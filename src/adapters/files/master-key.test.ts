import assert from "node:assert/strict";
import {
	chmodSync,
	existsSync,
	mkdirSync,
	mkdtempSync,
	readFileSync,
	rmSync,
	statSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";
import { StartError } from "../../kernel/start-error.ts";
import {
	addOwnMasterKey,
	dropOldMasterKeys,
	findConfiguredMasterKeys,
	loadMasterKeys,
	readOwnMasterKeys,
	watchMasterKeys,
} from "./master-key.ts";

const BYTES = Buffer.alloc(32, 0xfb);
const KEY = BYTES.toString("base64");
const OTHER_KEY = Buffer.alloc(32, 1).toString("base64");

let dataDir: string;
let keyFile: string;
beforeEach(() => {
	dataDir = mkdtempSync(join(tmpdir(), "latchkey-key-"));
	keyFile = join(dataDir, "master.key");
});
afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

function load(databaseExists = false) {
	return loadMasterKeys({}, dataDir, { databaseExists, randomBytes32: () => BYTES });
}

function noRandomness(): Buffer {
	throw new Error("no key may be created here");
}

function writeKey(text: string, mode = 0o600): void {
	writeFileSync(keyFile, text);
	chmodSync(keyFile, mode);
}

/** Every error is one line and shows no key. */
function startError(pattern: RegExp) {
	return (error: unknown) => {
		assert.ok(error instanceof Error);
		assert.equal(error.name, "StartError");
		assert.match(error.message, pattern);
		assert.ok(!error.message.includes("\n") && !error.message.includes(KEY.slice(0, 10)), error.message);
		return true;
	};
}

describe("master.key in the data directory", () => {
	it("is created once with a private mode, and read afterwards", () => {
		assert.deepEqual(load(), { keysText: KEY, created: true });
		assert.equal(readFileSync(keyFile, "utf8"), `${KEY}\n`);
		assert.equal(statSync(keyFile).mode & 0o777, 0o600);
		const again = loadMasterKeys({}, dataDir, { databaseExists: true, randomBytes32: noRandomness });
		assert.deepEqual(again, { keysText: KEY, created: false });
	});

	it("may contain several keys, and be read-only", () => {
		writeKey(` ${KEY}, ${OTHER_KEY} \r\n`, 0o400);
		assert.deepEqual(load(), { keysText: `${KEY},${OTHER_KEY}`, created: false });
	});

	it("is never replaced if a database exists", () => {
		assert.throws(
			() => load(true),
			startError(/^\S+master\.key is missing, but the database contains secrets encrypted with it; /),
		);
		assert.equal(existsSync(keyFile), false);
	});

	for (const mode of [0o640, 0o604, 0o620, 0o601]) {
		it(`is refused with mode 0${mode.toString(8)}`, () => {
			writeKey(KEY, mode);
			assert.throws(
				() => load(),
				startError(/^\S+master\.key is open to other users \(mode 06\d\d\); close it with chmod 600$/),
			);
			assert.equal(readFileSync(keyFile, "utf8"), KEY);
		});
	}

	const malformed = {
		empty: "",
		"31 bytes": Buffer.alloc(31, 0xfb).toString("base64"),
		"33 bytes": Buffer.alloc(33, 0xfb).toString("base64"),
		"without padding": KEY.slice(0, -1),
		"with stray bits at the end": `${KEY.slice(0, -2)}t=`,
		base64url: BYTES.toString("base64url"),
		hex: BYTES.toString("hex"),
		"half a key": KEY.slice(0, 20),
		"a list with a gap": `${KEY},,${KEY}`,
	};
	for (const [name, text] of Object.entries(malformed)) {
		it(`is refused when ${name}`, () => {
			writeKey(text);
			assert.throws(() => load(), startError(/^\S+master\.key must contain 32 bytes in base64, or /));
			assert.equal(readFileSync(keyFile, "utf8"), text);
		});
	}

	it("is refused if it is not a file", () => {
		mkdirSync(keyFile);
		assert.throws(() => load(), startError(/^\S+master\.key cannot be read \(EISDIR\)$/));
	});

	it("has exactly 32 bytes", () => {
		const first = { databaseExists: false, randomBytes32: () => Buffer.alloc(16) };
		assert.throws(() => loadMasterKeys({}, dataDir, first), /a master key has 32 bytes, not 16/);
		assert.equal(existsSync(keyFile), false);
	});
});

describe("a configured master key", () => {
	const first = { databaseExists: true, randomBytes32: noRandomness };

	it("inline takes precedence over the data directory and creates no file", () => {
		assert.deepEqual(loadMasterKeys({ inline: `${KEY}, ${OTHER_KEY}` }, dataDir, first), {
			keysText: `${KEY},${OTHER_KEY}`,
			created: false,
		});
		assert.equal(existsSync(keyFile), false);
	});

	it("inline is checked", () => {
		const line = startError(
			/^LATCHKEY_MASTER_KEY must contain 32 bytes in base64, or a comma-separated list of such keys$/,
		);
		assert.throws(() => findConfiguredMasterKeys({ inline: `${KEY}A` }), line);
	});

	it("in a file is read and checked like master.key", () => {
		const file = join(dataDir, "elsewhere.key");
		assert.throws(
			() => findConfiguredMasterKeys({ file }),
			startError(/^\S+elsewhere\.key \(named by LATCHKEY_MASTER_KEY_FILE\) does not exist$/),
		);
		writeFileSync(file, KEY, { mode: 0o600 });
		assert.equal(findConfiguredMasterKeys({ file }), KEY);
		assert.deepEqual(loadMasterKeys({ file }, dataDir, first), { keysText: KEY, created: false });
		chmodSync(file, 0o644);
		assert.throws(() => findConfiguredMasterKeys({ file }), startError(/\(mode 0644\)/));
		const below = join(file, "x");
		assert.throws(() => findConfiguredMasterKeys({ file: below }), startError(/cannot be read \(ENOTDIR\)$/));
	});

	it("is absent if none is configured", () => {
		assert.equal(findConfiguredMasterKeys({}), undefined);
	});
});

describe("watchMasterKeys", () => {
	it("returns the keys once, and again only after the file has changed", () => {
		writeKey(KEY);
		const changed = watchMasterKeys({}, dataDir, assert.fail);
		assert.equal(changed?.(), KEY);
		assert.equal(changed?.(), undefined);
		writeKey(`${OTHER_KEY},${KEY}\n`);
		assert.equal(changed?.(), `${OTHER_KEY},${KEY}`);
		assert.equal(changed?.(), undefined);
	});

	it("reports an unusable file once, and reads it again once it is usable", () => {
		writeKey(KEY);
		const problems: StartError[] = [];
		const changed = watchMasterKeys({ file: keyFile }, "/nowhere", (error) => problems.push(error));
		changed?.();
		for (const spoil of [() => writeKey("not a key"), () => writeKey(KEY, 0o644), () => rmSync(keyFile)]) {
			spoil();
			assert.equal(changed?.(), undefined);
			assert.equal(changed?.(), undefined);
		}
		assert.equal(problems.length, 3);
		assert.ok(problems.every((error) => error instanceof StartError));
		writeKey(OTHER_KEY);
		assert.equal(changed?.(), OTHER_KEY);
	});

	it("watches nothing for inline keys", () => {
		assert.equal(watchMasterKeys({ inline: KEY }, dataDir, assert.fail), undefined);
	});
});

describe("changing the keys of the data directory", () => {
	it("puts the new key first, then keeps only it and moves the old ones to another private file", () => {
		writeKey(KEY);
		addOwnMasterKey(dataDir, Buffer.alloc(32, 1));
		assert.equal(readOwnMasterKeys(dataDir).keysText, `${OTHER_KEY},${KEY}`);
		dropOldMasterKeys(dataDir);
		addOwnMasterKey(dataDir, Buffer.alloc(32, 2));
		dropOldMasterKeys(dataDir);
		assert.equal(readOwnMasterKeys(dataDir).keysText, Buffer.alloc(32, 2).toString("base64"));
		assert.equal(readFileSync(`${keyFile}.old`, "utf8"), `${OTHER_KEY},${KEY}\n`);
		for (const path of [keyFile, `${keyFile}.old`]) assert.equal(statSync(path).mode & 0o777, 0o600);
	});

	it("needs a file to change", () => {
		assert.throws(() => addOwnMasterKey(dataDir, BYTES), StartError);
	});
});
