import assert from "node:assert/strict";
import { chmodSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { SMTPServer } from "smtp-server";
import { openSqlite } from "../../src/adapters/sqlite/sqlite.ts";
import { unlockAudit } from "../harness/audit.ts";
import { makeCertificate, putCertificate } from "../harness/certificate.ts";
import { copyOf, snapshot, temporaryFolder } from "../harness/folder.ts";
import { freePorts, ownSettings, runProgram, startProgram } from "../harness/program.ts";

const LINE = /^(ok {2}|warn|fail) {2}(\S(?:.*?\S)?) {2,}(\S.*)$/;

/** What the doctor says: `{ "port 8080": "ok is free" }`; and that it changed nothing. */
async function examine(
	dataDir: string,
	settings: Readonly<Record<string, string>> = {},
): Promise<{ code: number | null; findings: Record<string, string> }> {
	const env = { ...(await ownSettings(dataDir)), ...settings };
	const earlier = snapshot(dataDir);
	const { code, stdout, stderr } = await runProgram(["doctor"], { env });
	assert.equal(stderr, "");
	assert.deepEqual(snapshot(dataDir), earlier);
	const findings: Record<string, string> = {};
	for (const line of stdout.trimEnd().split("\n")) {
		const [, level = "", about = "", text = ""] = LINE.exec(line) ?? assert.fail(`no finding: ${line}`);
		findings[about.replace(/^port \d+$/, "port")] = `${level.trim()} ${text}`;
	}
	return { code, findings };
}

describe("latchkey doctor", () => {
	const root = temporaryFolder();
	/** An installation at rest. */
	const home = join(root.path, "data");
	before(async () => {
		const program = await startProgram({ env: await ownSettings(home) });
		program.kill("SIGTERM");
		await program.exited;
	});
	after(() => root[Symbol.dispose]());

	test("where there is no installation, says only that, fails, and makes nothing", async () => {
		using folder = temporaryFolder();
		const { code, findings } = await examine(join(folder.path, "data"));
		assert.equal(code, 1);
		assert.deepEqual(Object.keys(findings), ["settings", "installation"]);
		assert.match(
			findings.installation ?? "",
			/^fail \S+latchkey\.db does not exist yet; start the service once first$/,
		);
		assert.equal(snapshot(folder.path).length, 1);
	});

	test("an installation at rest is in order", async () => {
		const { code, findings } = await examine(home);
		assert.equal(code, 0);
		for (const [about, text] of Object.entries(findings)) assert.match(text, /^ok /, about);
		assert.deepEqual(Object.keys(findings), [
			"settings",
			"node",
			"disk",
			"data folder",
			"master key",
			"database",
			"schema",
			"secrets",
			"clock",
			"certificate",
			"port",
			"redis",
			"mail",
		]);
		assert.match(findings["data folder"] ?? "", /is not in use$/);
		assert.equal(findings.port, "ok is free");
	});

	test("beside a running service, and after a kill -9", async () => {
		using folder = copyOf(home);
		const env = await ownSettings(folder.path);
		const program = await startProgram({ env });
		try {
			const { stdout, code } = await runProgram(["doctor"], { env });
			assert.equal(code, 0);
			assert.match(stdout, /data folder {3}\S+ is in use by a running latchkey$/m);
			assert.equal(stdout.match(/^ok {4}port \d+ {4,}latchkey \S+ answers$/gm)?.length, 2);
			assert.match(stdout, /latchkey\.db is whole$/m);
			assert.equal((await fetch(`${program.httpUrl}/health`)).status, 200);
		} finally {
			await program.end();
		}
		const { code, stdout } = await runProgram(["doctor"], { env });
		assert.equal(code, 0);
		assert.match(stdout, /is not in use$/m);
	});

	test("settings that are not understood", async () => {
		const { code, findings } = await examine(home, { LATCHKEY_PORT: "80x" });
		assert.equal(code, 1);
		assert.deepEqual(Object.keys(findings), ["settings"]);
		assert.match(findings.settings ?? "", /^fail LATCHKEY_PORT is "80x"/);
	});

	test("a master key that is open to others, missing, or another", async () => {
		using folder = copyOf(home);
		const file = join(folder.path, "master.key");
		chmodSync(file, 0o640);
		const open = await examine(folder.path);
		assert.equal(open.code, 1);
		assert.match(open.findings["master key"] ?? "", /^fail .* is open to other users \(mode 0640\)/);
		rmSync(file);
		const missing = await examine(folder.path);
		assert.equal(missing.code, 1);
		assert.match(missing.findings["master key"] ?? "", /^fail .*master\.key is missing/);
		const other = await examine(folder.path, {
			LATCHKEY_MASTER_KEY: Buffer.alloc(32, 9).toString("base64"),
		});
		assert.equal(other.code, 1);
		assert.match(other.findings.secrets ?? "", /^fail sealed with master key .*: give the right master key$/);
	});

	test("secrets under another master key than the first are a warning until they are re-sealed", async () => {
		using folder = copyOf(home);
		const added = Buffer.alloc(32, 9).toString("base64");
		const env = {
			LATCHKEY_MASTER_KEY: `${added},${readFileSync(join(folder.path, "master.key"), "utf8").trim()}`,
		};
		const before = await examine(folder.path, env);
		assert.match(before.findings.secrets ?? "", /^warn some are sealed with another .*: run latchkey rekey$/);
		const rekey = await runProgram(["rekey"], { env: { ...env, LATCHKEY_DATA_DIR: folder.path } });
		assert.equal(rekey.code, 0, rekey.stderr);
		const after = await examine(folder.path, env);
		assert.match(after.findings.secrets ?? "", /^ok the master key opens them$/);
	});

	test("a data folder open to others is a warning, since a start closes it", async () => {
		using folder = copyOf(home);
		chmodSync(folder.path, 0o755);
		const { code, findings } = await examine(folder.path);
		assert.equal(code, 0);
		assert.match(findings["data folder"] ?? "", /^warn .*\(mode 0755\): close it with chmod 700$/);
	});

	test("a database that is damaged, or none at all", async () => {
		using folder = copyOf(home);
		const file = join(folder.path, "latchkey.db");
		truncateSync(file, statSync(file).size - 65_536);
		const damaged = await examine(folder.path);
		assert.equal(damaged.code, 1);
		assert.match(damaged.findings.database ?? "", /^fail /);
		writeFileSync(file, "this is no database, and never was ".repeat(200));
		const none = await examine(folder.path);
		assert.equal(none.code, 1);
		assert.match(none.findings.database ?? "", /^fail .* cannot be read: file is not a database$/);
	});

	test("a database server that does not answer, without showing how it is reached", async () => {
		const { code, findings } = await examine(home, {
			LATCHKEY_DATABASE_URL: "postgres://somebody:hidden@127.0.0.1:1/latchkey",
			LATCHKEY_MASTER_KEY: Buffer.alloc(32, 9).toString("base64"),
		});
		assert.equal(code, 1);
		assert.match(findings.database ?? "", /^fail .*ECONNREFUSED/);
		assert.doesNotMatch(findings.database ?? "", /hidden/);
	});

	test("a schema this program does not know, and a clock set back", async () => {
		using folder = copyOf(home);
		const engine = openSqlite(join(folder.path, "latchkey.db"));
		await engine.queries.run("INSERT INTO schema_migrations (version, name, applied_at) VALUES (99, 'x', 0)");
		await unlockAudit(engine);
		await engine.queries.run("UPDATE audit_events SET at = at + 3600000");
		await engine.close();
		const { code, findings } = await examine(folder.path);
		assert.equal(code, 1);
		assert.match(findings.schema ?? "", /^fail version 99 is newer than this program knows/);
		assert.match(findings.clock ?? "", /^fail it is \S+, but records go up to \S+: set the clock$/);
	});

	test("certificates: expired, soon to expire, for another host, not belonging together", async () => {
		using files = temporaryFolder();
		const withPair = async (
			pair: { cert: string; key: string },
			settings: Readonly<Record<string, string>> = {},
		): Promise<string> => {
			const { certFile, keyFile } = putCertificate(files.path, pair);
			const tls = { LATCHKEY_TLS_CERT: certFile, LATCHKEY_TLS_KEY: keyFile, ...settings };
			const { code, findings } = await examine(home, tls);
			assert.equal(code, findings.certificate?.startsWith("fail") ? 1 : 0);
			return findings.certificate ?? "";
		};
		const good = await makeCertificate("good", 30);
		assert.match(await withPair(good), /^ok \S+cert\.pem, valid to \S+$/);
		assert.match(await withPair(await makeCertificate("soon", 20)), /^warn .*: replace it soon$/);
		const expired = await makeCertificate("expired", -1);
		assert.match(await withPair(expired), /^fail .* expired at \S+: replace it$/);
		assert.match(await withPair({ cert: good.cert, key: expired.key }), /^fail .*do not belong together$/);
		assert.match(
			await withPair(good, { LATCHKEY_PUBLIC_URL: "https://auth.partner.example" }),
			/^warn .* does not name auth\.partner\.example \(LATCHKEY_PUBLIC_URL\): clients will refuse it$/,
		);
	});

	test("a port that another process uses", async () => {
		const [port = 0] = await freePorts(1);
		const squatter = createServer((socket) => socket.end("220 not http\r\n")).listen(port, "127.0.0.1");
		try {
			const { code, findings } = await examine(home, { LATCHKEY_HTTPS_PORT: String(port) });
			assert.equal(code, 1);
			assert.match(
				findings.port ?? "",
				/^fail .*in use by another program: stop that, or choose another port$/,
			);
		} finally {
			squatter.close();
		}
	});

	test("an unreachable public address, and an unreachable mail server", async () => {
		const everywhere = await examine(home, { LATCHKEY_HOST: "0.0.0.0" });
		assert.match(
			everywhere.findings["public url"] ?? "",
			/^warn https:\/\/localhost:8443 leads others nowhere/,
		);
		const elsewhere = await examine(home, { LATCHKEY_PUBLIC_URL: "https://auth.partner.example" });
		assert.match(elsewhere.findings.mail ?? "", /^warn becomes files in .*: set LATCHKEY_SMTP_URL$/);
		assert.equal(elsewhere.code, 0);
	});

	test("a mail server that accepts the login, and one that does not", async () => {
		const smtp = new SMTPServer({ authOptional: true, disabledCommands: ["STARTTLS"], logger: false });
		const [port = 0] = await freePorts(1);
		await new Promise<void>((resolve) => smtp.listen(port, "127.0.0.1", resolve));
		const up = await examine(home, { LATCHKEY_SMTP_URL: `smtp://127.0.0.1:${port}` });
		assert.deepEqual([up.code, up.findings.mail], [0, "ok the mail server takes us"]);
		await new Promise<void>((resolve) => smtp.close(resolve));
		const down = await examine(home, { LATCHKEY_SMTP_URL: `smtp://somebody:secret@127.0.0.1:${port}` });
		assert.equal(down.code, 1);
		assert.match(down.findings.mail ?? "", /^fail the mail server does not take us \(ECONNREFUSED/);
		assert.doesNotMatch(down.findings.mail ?? "", /secret/);
	});
});
