import assert from "node:assert/strict";
import { chmodSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { before, describe, test } from "node:test";
import { SMTPServer } from "smtp-server";
import { openSqlite } from "../../src/adapters/sqlite/sqlite.ts";
import { addApplication } from "../harness/access/applications.ts";
import { makeCertificate, putCertificate } from "../harness/certificates/certificate.ts";
import { unlockAudit } from "../harness/databases/audit.ts";
import { POSTGRES_SKIPPED } from "../harness/databases/postgres-skipped.ts";
import { putOAuthClient } from "../harness/openid/oauth-clients.ts";
import { runCommand } from "../harness/processes/command.ts";
import { freePorts, ownSettings } from "../harness/processes/program.ts";
import { copyOf, lastingFolder, snapshot, temporaryFolder } from "../harness/runs/folder.ts";
import { makeInstallation, makePlace, serveInstallation } from "../harness/service/installation.ts";

const LINE = /^(ok {2}|warn|fail) {2}(\S(?:.*?\S)?) {2,}(\S.*)$/;

/** Returns the findings, `{ "port": "ok available" }`, and asserts that nothing changed. */
async function examine(
	dataDir: string,
	settings: Readonly<Record<string, string>> = {},
): Promise<{ code: number | null; findings: Record<string, string> }> {
	const env = { ...(await ownSettings(dataDir)), ...settings };
	const earlier = snapshot(dataDir);
	const { code, stdout, stderr } = await runCommand(["doctor"], { env });
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
	const root = lastingFolder();
	/** An installation at rest. */
	const home = join(root, "data");
	before(async () => {
		await makeInstallation(await ownSettings(home));
	});

	test("reports only the absence of an installation, and creates none", async () => {
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

	test("reports a list of breached passwords that cannot be used, and one that can", async () => {
		using folder = temporaryFolder();
		const file = join(folder.path, "breached.txt");
		const list = { LATCHKEY_BREACHED_PASSWORDS: file };
		const about = async () => (await examine(home, list)).findings["breached passwords"];
		assert.match((await about()) ?? "", /^fail LATCHKEY_BREACHED_PASSWORDS: \S+ does not exist$/);
		writeFileSync(file, "not a hash\n");
		assert.match((await about()) ?? "", /^fail LATCHKEY_BREACHED_PASSWORDS: /);
		writeFileSync(file, `${"0".repeat(40)}:1\n${"F".repeat(40)}:2\n`);
		assert.equal(await about(), `ok new passwords are looked up in ${file}`);
	});

	test("reports ok for every part of an installation at rest, except mail in files", async () => {
		const { code, findings } = await examine(home);
		assert.equal(code, 0);
		for (const [about, text] of Object.entries(findings))
			assert.match(text, about === "mail" ? /^warn no mail server is set/ : /^ok /, about);
		assert.deepEqual(Object.keys(findings), [
			"settings",
			"node",
			"descriptors",
			"disk",
			"data directory",
			"master key",
			"schema",
			"secrets",
			"clock",
			"certificate",
			"port",
			"redis",
			"mail",
			"database",
		]);
		assert.match(findings["data directory"] ?? "", /is not in use$/);
		assert.equal(findings.port, "ok available");
	});

	test("reports a running service, and leaves it running", async () => {
		using folder = copyOf(home);
		const env = await ownSettings(folder.path);
		const service = await serveInstallation(env);
		try {
			const { stdout, code } = await runCommand(["doctor"], { env });
			assert.equal(code, 0);
			assert.match(stdout, /data directory {2}\S+ is in use by a running latchkey$/m);
			assert.equal(stdout.match(/^ok {4}port \d+ {4,}latchkey \S+ responds$/gm)?.length, 2);
			assert.match(stdout, /latchkey\.db is intact, checked at \S+Z$/m);
			assert.doesNotMatch(stdout, /serves another certificate/);
			using files = temporaryFolder();
			const { certFile, keyFile } = putCertificate(files.path, await makeCertificate("new", 90));
			const replaced = await runCommand(["doctor"], {
				env: { ...env, LATCHKEY_TLS_CERT: certFile, LATCHKEY_TLS_KEY: keyFile },
			});
			assert.match(
				replaced.stdout,
				/^warn {2}certificate {2,}port \d+ serves another certificate than \S+cert\.pem/m,
			);
			assert.equal((await fetch(`http://127.0.0.1:${service.ports.http}/health`)).status, 200);
		} finally {
			await service.stop();
		}
	});

	test("omits only the integrity of the database on request", async () => {
		const env = await ownSettings(home);
		const lines = async (...options: string[]) =>
			(await runCommand(["doctor", ...options], { env })).stdout.trimEnd().split("\n").length;
		assert.equal(await lines("--skip-integrity"), (await lines()) - 1);
	});

	test("fails for settings that are invalid", async () => {
		const { code, findings } = await examine(home, { LATCHKEY_PORT: "80x" });
		assert.equal(code, 1);
		assert.deepEqual(Object.keys(findings), ["settings"]);
		assert.match(findings.settings ?? "", /^fail LATCHKEY_PORT is "80x"/);
		const everyone = await examine(home, { LATCHKEY_TRUSTED_PROXIES: "0.0.0.0/0" });
		assert.equal(everyone.code, 1);
		assert.match(everyone.findings.settings ?? "", /^fail LATCHKEY_TRUSTED_PROXIES .* contains every client/);
	});

	test("fails for a master key that other users can read, a missing one, and a wrong one", async () => {
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
		assert.match(
			other.findings.secrets ?? "",
			/^fail sealed with master key .*: provide the correct master key$/,
		);
	});

	test("warns about secrets that are not encrypted with the first master key until they are re-sealed", async () => {
		using folder = copyOf(home);
		const added = Buffer.alloc(32, 9).toString("base64");
		const env = {
			LATCHKEY_MASTER_KEY: `${added},${readFileSync(join(folder.path, "master.key"), "utf8").trim()}`,
		};
		const before = await examine(folder.path, env);
		assert.match(before.findings.secrets ?? "", /^warn some are encrypted with a .*: run latchkey rekey$/);
		const rekey = await runCommand(["rekey"], { env: { ...env, LATCHKEY_DATA_DIR: folder.path } });
		assert.equal(rekey.code, 0, rekey.stderr);
		const after = await examine(folder.path, env);
		assert.match(after.findings.secrets ?? "", /^ok the master key decrypts them$/);
	});

	test("only warns about a data directory that is open to others, because a start closes it", async () => {
		using folder = copyOf(home);
		chmodSync(folder.path, 0o755);
		const { code, findings } = await examine(folder.path);
		assert.equal(code, 0);
		assert.match(findings["data directory"] ?? "", /^warn .*\(mode 0755\): close it with chmod 700$/);
	});

	test("fails for a damaged database, and for a file that is not a database", async () => {
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

	test("fails for a database server that does not respond, without showing its credentials", async () => {
		const { code, findings } = await examine(home, {
			LATCHKEY_DATABASE_URL: "postgres://somebody:hidden@127.0.0.1:1/latchkey",
			LATCHKEY_MASTER_KEY: Buffer.alloc(32, 9).toString("base64"),
		});
		assert.equal(code, 1);
		assert.match(findings.database ?? "", /^fail .*ECONNREFUSED/);
		assert.doesNotMatch(findings.database ?? "", /hidden/);
	});

	test("fails for a newer schema, and for a clock that was set back", async () => {
		using folder = copyOf(home);
		const engine = openSqlite(join(folder.path, "latchkey.db"));
		await engine.queries.run("INSERT INTO schema_migrations (version, name, applied_at) VALUES (99, 'x', 0)");
		await unlockAudit(engine);
		await engine.queries.run("UPDATE audit_events SET at = at + 3600000");
		await engine.close();
		const { code, findings } = await examine(folder.path);
		assert.equal(code, 1);
		assert.match(findings.schema ?? "", /^fail version 99 is newer than this version of latchkey supports/);
		assert.match(findings.clock ?? "", /^fail \S+ is earlier than the latest record, \S+: set the clock$/);
	});

	test("checks the certificate: its expiry, its host, its key", async () => {
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

	test("fails for a port that another program uses", async () => {
		const [port = 0] = await freePorts(1);
		const squatter = createServer((socket) => socket.end("220 not http\r\n")).listen(port, "127.0.0.1");
		try {
			const { code, findings } = await examine(home, { LATCHKEY_HTTPS_PORT: String(port) });
			assert.equal(code, 1);
			assert.match(
				findings.port ?? "",
				/^fail .*in use by another program: stop that program, or choose another port$/,
			);
		} finally {
			squatter.close();
		}
	});

	test("warns about a public URL that others cannot reach or that is not encrypted, and about mail in files", async () => {
		const everywhere = await examine(home, { LATCHKEY_HOST: "0.0.0.0" });
		assert.match(
			everywhere.findings["public url"] ?? "",
			/^warn https:\/\/localhost:8443 works only on this machine/,
		);
		const elsewhere = await examine(home, { LATCHKEY_PUBLIC_URL: "https://auth.partner.example" });
		for (const { findings } of [everywhere, elsewhere])
			assert.match(
				findings.mail ?? "",
				/^warn no mail server is set, emails are written to files in .* and no one receives them: set LATCHKEY_SMTP_URL$/,
			);
		assert.equal(elsewhere.code, 0);
		assert.match(
			elsewhere.findings["public url"] ?? "",
			/^warn https:\S+ leads to port 443, and the service listens on \d+: forward the port/,
		);
		const off = { LATCHKEY_PUBLIC_URL: "https://auth.partner.example", LATCHKEY_HTTPS_PORT: "0" };
		assert.match((await examine(home, off)).findings["public url"] ?? "", /^warn .* set one of them$/);
		const proxied = { ...off, LATCHKEY_TRUSTED_PROXIES: "10.0.0.0/8" };
		assert.equal((await examine(home, proxied)).findings["public url"], undefined);
		const plain = await examine(home, { LATCHKEY_PUBLIC_URL: "http://auth.partner.example" });
		assert.match(plain.findings["public url"] ?? "", /^warn http:\S+ sends passwords .* to an https URL$/);
		assert.equal(plain.code, 0);
	});

	test("tries the login of the mail server", async () => {
		const smtp = new SMTPServer({ authOptional: true, disabledCommands: ["STARTTLS"], logger: false });
		const [port = 0] = await freePorts(1);
		await new Promise<void>((resolve) => smtp.listen(port, "127.0.0.1", resolve));
		const up = await examine(home, { LATCHKEY_SMTP_URL: `smtp://127.0.0.1:${port}` });
		assert.deepEqual([up.code, up.findings.mail], [0, "ok the mail server accepts the connection"]);
		await new Promise<void>((resolve) => smtp.close(resolve));
		const down = await examine(home, { LATCHKEY_SMTP_URL: `smtp://somebody:secret@127.0.0.1:${port}` });
		assert.equal(down.code, 1);
		assert.match(
			down.findings.mail ?? "",
			/^fail the mail server does not accept the connection \(ECONNREFUSED/,
		);
		assert.doesNotMatch(down.findings.mail ?? "", /secret/);
	});
});

for (const engine of ["sqlite", "postgres"] as const)
	describe(`latchkey doctor on ${engine}`, { skip: engine === "postgres" && POSTGRES_SKIPPED }, () => {
		test("names applications whose OAuth client has PKCE off", async () => {
			const place = await makePlace(engine);
			try {
				const service = await place.serve();
				const warning = async () => /^.* oauth clients .*$/m.exec((await place.run(["doctor"])).stdout)?.[0];
				const add = async (pkce: string) => {
					const { id } = await addApplication(service, { slug: pkce });
					await putOAuthClient(service, { type: "web", pkce }, id);
				};
				await add("required");
				await add("optional");
				assert.equal(await warning(), undefined);
				await add("off");
				await service.stop();
				assert.match((await warning()) ?? "", /^warn {2}oauth clients +default\/off: pkce is off/);
			} finally {
				await place.remove();
			}
		});
	});
