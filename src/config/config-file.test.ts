import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";
import { loadConfig } from "./load.ts";

let folder: string;
let file: string;
beforeEach(() => {
	folder = mkdtempSync(join(tmpdir(), "latchkey-config-"));
	file = join(folder, "latchkey.env");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function load(text: string, env: Record<string, string> = {}) {
	writeFileSync(file, text);
	return loadConfig({ ...env, LATCHKEY_CONFIG: file });
}

function refuses(text: string, message: string): void {
	assert.throws(() => load(text), { name: "ConfigError", message: message.replace("FILE", file) });
}

describe("the file named by LATCHKEY_CONFIG", () => {
	it("provides settings that the environment does not set", () => {
		const text = "LATCHKEY_HOST=::1\nLATCHKEY_PORT=1\nLATCHKEY_HTTPS_PORT=2\n";
		const { host, port, httpsPort } = load(text, { LATCHKEY_HOST: "::", LATCHKEY_PORT: "" });
		assert.deepEqual([host, port, httpsPort], ["::", 1, 2]);
	});

	it("accepts export, quotes, spaces, and comments", () => {
		const text = [
			"\uFEFF# comment",
			"",
			"  export LATCHKEY_HOST = ::1  ",
			"LATCHKEY_PORT=80 # comment",
			"LATCHKEY_ADMIN_PASSWORD=\"pass#word with 'quotes'\"  # comment",
			"LATCHKEY_MAIL_FROM='\"A, B\" <a@b>'",
			`LATCHKEY_MASTER_KEY=${Buffer.alloc(32, 0xfb).toString("base64")}`,
			"LATCHKEY_ADMIN_EMAIL= ",
			"LATCHKEY_LOG_LEVEL=",
			"LATCHKEY_HTTPS_PORT= # comment",
			"OTHER_PROGRAM=its business",
		].join("\r\n");
		const config = load(text);
		assert.deepEqual(
			[config.host, config.port, config.httpsPort, config.logLevel],
			["::1", 80, 8443, "info"],
		);
		assert.equal(config.admin.passwordPlain, "pass#word with 'quotes'");
		assert.deepEqual(config.mailFrom, { name: "A, B", address: "a@b" });
		assert.equal(config.masterKey.inline, Buffer.alloc(32, 0xfb).toString("base64"));
	});

	it("accepts a sender with its name in quotes, as a mail header has it", () => {
		for (const [value, name] of [
			['"Example, Inc." <a@b.example>', "Example, Inc."],
			['"" <a@b.example>', ""],
			['" <a@b.example>"', ""],
			['"<a@b.example>" # no name', ""],
			['  "A # B" <a@b.example>  # comment', "A # B"],
		] as const)
			assert.deepEqual(
				load(`LATCHKEY_MAIL_FROM=${value}\n`).mailFrom,
				{ name, address: "a@b.example" },
				value,
			);
	});

	it("never continues a value on the next line", () => {
		const config = load("LATCHKEY_HOST= \nLATCHKEY_PORT=1\n# it's \"\nLATCHKEY_HTTPS_PORT=2 # \"'\n");
		assert.deepEqual([config.host, config.port, config.httpsPort], ["127.0.0.1", 1, 2]);
	});

	it("may be empty", () => {
		const { source, ...config } = load("");
		assert.deepEqual({ ...config, source: { ...source, file: null } }, loadConfig({}));
	});

	it("appears in the configuration, with the names of the settings from the environment", () => {
		writeFileSync(file, "LATCHKEY_DATA_DIR=/srv/latchkey\n");
		const { source } = loadConfig({ LATCHKEY_CONFIG: file, LATCHKEY_PORT: "1", LATCHKEY_HOST: "" });
		assert.deepEqual(source, {
			file,
			environment: ["LATCHKEY_PORT"],
			isLocationSet: true,
			isPublicUrlSet: false,
		});
	});

	it("must exist and be readable", () => {
		const missing = { name: "ConfigError", message: `LATCHKEY_CONFIG names ${file}, which does not exist` };
		assert.throws(() => loadConfig({ LATCHKEY_CONFIG: file }), missing);
		const unreadable = {
			name: "ConfigError",
			message: `LATCHKEY_CONFIG names ${folder}, which cannot be read (EISDIR)`,
		};
		assert.throws(() => loadConfig({ LATCHKEY_CONFIG: folder }), unreadable);
	});

	it("must not name another file", () => {
		refuses("LATCHKEY_CONFIG=/etc/other", "LATCHKEY_CONFIG (FILE) line 1 must not set LATCHKEY_CONFIG again");
		refuses("LATCHKEY_CONFIG=", "LATCHKEY_CONFIG (FILE) line 1 must not set LATCHKEY_CONFIG again");
	});

	it("is checked like the environment, and named in the line", () => {
		refuses("LATCHKEY_PROT=1", "LATCHKEY_PROT (in FILE) is not a setting; did you mean LATCHKEY_PORT?");
		refuses(
			"LATCHKEY_BCRYPT_COST=9",
			'LATCHKEY_BCRYPT_COST (in FILE) is "9"; it must be a whole number from 10 to 15',
		);
		refuses(
			'LATCHKEY_HOST="a\\nb"',
			'LATCHKEY_HOST (in FILE) is "a\\nb"; it must be text without control characters, and without a space at its beginning or end',
		);
	});

	it("refuses lines that a lenient parser would skip or truncate", () => {
		const quotes = (name: string) =>
			`LATCHKEY_CONFIG (FILE) line 2 (${name}) needs its whole value in one pair of quotes`;
		refuses("\nLATCHKEY_PORT 80", "LATCHKEY_CONFIG (FILE) line 2 is not NAME=value");
		refuses("\nLATCHKEY_PORT=1\rLATCHKEY_HOST=::1", "LATCHKEY_CONFIG (FILE) line 2 is not NAME=value");
		refuses("\n=80", "LATCHKEY_CONFIG (FILE) line 2 is not NAME=value");
		for (const value of ["pass#word", '"open', "'open", '"a" b', '"a"b', "`a`", '"a"b"', "#cut"]) {
			refuses(`\nLATCHKEY_ADMIN_PASSWORD=${value}`, quotes("LATCHKEY_ADMIN_PASSWORD"));
		}
		refuses('\nLATCHKEY_MASTER_KEY="a\nb"', quotes("LATCHKEY_MASTER_KEY"));
		refuses(
			"LATCHKEY_PORT=1\nLATCHKEY_PORT=2",
			"LATCHKEY_CONFIG (FILE) line 2 sets LATCHKEY_PORT a second time",
		);
	});
});
