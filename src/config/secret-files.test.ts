// Secrets that are read from a file.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { refusalOf } from "../../test/harness/processes/refused-settings.ts";
import { loadConfig } from "./load.ts";
import { SECRET_FILES } from "./settings.ts";

describe("the file of a secret", () => {
	const folder = mkdtempSync(join(tmpdir(), "latchkey-secrets-"));
	const path = join(folder, "smtp");
	after(() => rmSync(folder, { recursive: true }));

	it("holds the value, with one line break at its end or none", () => {
		for (const end of ["", "\n", "\r\n"]) {
			writeFileSync(path, `smtps://mail.example.com${end}`);
			assert.equal(loadConfig({ LATCHKEY_SMTP_URL_FILE: path }).smtpUrl, "smtps://mail.example.com");
		}
	});

	it("exists for every secret except the master key, which has its own setting", () => {
		assert.deepEqual(
			[...SECRET_FILES.values()].sort(),
			["ADMIN_PASSWORD", "DATABASE_URL", "OTLP_HEADERS", "REDIS_URL", "SMTP_URL"].map(
				(name) => `LATCHKEY_${name}`,
			),
		);
	});

	it("is named in the error if it is missing, is a directory, or contains an invalid value, which is not shown", () => {
		const missing = join(folder, "missing");
		assert.equal(
			refusalOf({ LATCHKEY_SMTP_URL_FILE: missing }),
			`LATCHKEY_SMTP_URL_FILE names ${missing}, which does not exist`,
		);
		assert.equal(
			refusalOf({ LATCHKEY_SMTP_URL_FILE: folder }),
			`LATCHKEY_SMTP_URL_FILE names ${folder}, which cannot be read (EISDIR)`,
		);
		writeFileSync(path, "ftp://user:hunter2@mail.example.com\n");
		const line = refusalOf({ LATCHKEY_SMTP_URL_FILE: path });
		assert.match(line, /^LATCHKEY_SMTP_URL_FILE is not usable \(not shown\); it must be /);
		assert.ok(!line.includes("hunter2"));
		writeFileSync(path, "smtps://mail.example.com\nsmtps://other.example.com\n");
		assert.match(refusalOf({ LATCHKEY_SMTP_URL_FILE: path }), /without control characters/);
	});

	it("in the environment replaces the value in the settings file", () => {
		const settings = join(folder, "latchkey.env");
		writeFileSync(settings, "LATCHKEY_SMTP_URL=smtps://old.example.com\n");
		writeFileSync(path, "smtps://mail.example.com\n");
		const { smtpUrl } = loadConfig({ LATCHKEY_CONFIG: settings, LATCHKEY_SMTP_URL_FILE: path });
		assert.equal(smtpUrl, "smtps://mail.example.com");
	});
});
