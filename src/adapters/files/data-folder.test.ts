import assert from "node:assert/strict";
import {
	chmodSync,
	chownSync,
	existsSync,
	mkdirSync,
	mkdtempSync,
	rmSync,
	statSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";
import { checkDataFolder, openDataFolder, tightenDataFolder } from "./data-folder.ts";

const isRoot = process.getuid?.() === 0;
const ANOTHER_USER = 12_345;

let base: string;
beforeEach(() => {
	base = mkdtempSync(join(tmpdir(), "latchkey-folder-"));
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

function modeOf(path: string): number {
	return statSync(path).mode & 0o7777;
}

function createFolder(mode: number, ...names: string[]): string {
	const path = join(base, "data");
	mkdirSync(path);
	for (const name of names) writeFileSync(join(path, name), "");
	chmodSync(path, mode);
	return path;
}

function refuses(path: string, message: RegExp): void {
	assert.throws(() => checkDataFolder(path), { name: "StartError", message });
	assert.throws(() => openDataFolder(path), { name: "StartError", message });
}

describe("checkDataFolder", () => {
	it("changes nothing", () => {
		checkDataFolder(join(base, "a", "b"));
		assert.equal(existsSync(join(base, "a")), false);
		const loose = createFolder(0o755);
		checkDataFolder(loose);
		assert.equal(modeOf(loose), 0o755);
	});

	it("refuses a file", () => {
		const file = join(base, "file");
		writeFileSync(file, "");
		refuses(file, /^data directory \S+file is not a directory$/);
		refuses(
			join(file, "x", "data"),
			/^data directory \S+data cannot be created: \S+file is not a directory$/,
		);
	});

	it("refuses a circular link", () => {
		symlinkSync(join(base, "loop"), join(base, "loop"));
		refuses(join(base, "loop"), /^data directory \S+loop cannot be read \(ELOOP\)$/);
	});

	it("refuses an open directory with other content", () => {
		const path = createFolder(0o755, "index.html");
		refuses(
			path,
			/^data directory \S+ is open to other users \(mode 0755\) and holds "index\.html", .* chmod 700$/,
		);
		chmodSync(path, 0o700);
		checkDataFolder(path);
	});

	it("refuses a folder with the sticky bit", () => {
		refuses(createFolder(0o1777), /\(mode 1777\) and holds files of many users/);
	});

	it("accepts an open directory that is empty or was used by Latchkey before", () => {
		const path = createFolder(
			0o755,
			".gitkeep",
			"latchkey.db",
			"latchkey.db-wal",
			"master.key",
			"tls-cert.pem",
		);
		checkDataFolder(path);
		writeFileSync(join(path, "notes.txt"), "");
		assert.throws(() => checkDataFolder(path));
		writeFileSync(join(path, "latchkey.lock"), "");
		checkDataFolder(path);
	});

	it("refuses another user's directory only if it is world-writable", {
		skip: !isRoot && "needs root",
	}, () => {
		const path = createFolder(0o775, "anything");
		chownSync(path, ANOTHER_USER, ANOTHER_USER);
		checkDataFolder(path);
		chmodSync(path, 0o777);
		refuses(path, /^data directory \S+ belongs to another user and is writable by everyone \(mode 0777\)/);
	});
});

describe("openDataFolder", () => {
	it("creates the directory and its parents with private modes", () => {
		const path = join(base, "var", "data");
		openDataFolder(path);
		assert.equal(modeOf(path), 0o700);
		assert.equal(modeOf(join(base, "var")), 0o700);
	});

	it("reports that the directory cannot be created", {
		skip: process.platform !== "linux" && "needs Linux",
	}, () => {
		// No user can create a folder there, not even root; the check refuses other users earlier.
		const message =
			/^data directory \/proc\/latchkey(?:\/data)? cannot be created(?:: \/proc is not writable)? \(E[A-Z]+\)$/;
		assert.throws(() => openDataFolder("/proc/latchkey/data"), { name: "StartError", message });
	});

	it("leaves an existing folder as it is", () => {
		const path = createFolder(0o750);
		openDataFolder(path);
		assert.equal(modeOf(path), 0o750);
	});
});

describe("tightenDataFolder", () => {
	it("removes the access of other users", () => {
		const path = createFolder(0o755);
		assert.equal(tightenDataFolder(path), undefined);
		assert.equal(modeOf(path), 0o700);
	});

	it("leaves a directory of another user unchanged and reports it", { skip: !isRoot && "needs root" }, () => {
		const path = createFolder(0o770);
		chownSync(path, ANOTHER_USER, ANOTHER_USER);
		assert.match(
			tightenDataFolder(path) ?? "",
			/^data directory \S+ is open to other users \(mode 0770\) and owned by another user, so latchkey cannot close it$/,
		);
		assert.equal(modeOf(path), 0o770);
	});
});
