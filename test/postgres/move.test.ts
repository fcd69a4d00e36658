// `latchkey move --from sqlite:… --to postgres://…`: moves an embedded installation to PostgreSQL without a change for users.

import assert from "node:assert/strict";
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { sha256Hex } from "../../src/crypto/digest.ts";
import { mailedToken, QUEUE, REQUESTS, submit, submitApproved } from "../harness/access/access-requests.ts";
import { addApiClient } from "../harness/access/applications.ts";
import { PGBOUNCER_SKIPPED, startPgbouncer } from "../harness/databases/pgbouncer.ts";
import { POSTGRES_SKIPPED } from "../harness/databases/postgres-skipped.ts";
import { type Exit, runProgram } from "../harness/processes/program.ts";
import { fixture } from "../harness/runs/fixture.ts";
import { MASTER_KEY, makePlace, type Place } from "../harness/service/installation.ts";
import { type Credentials, signedHeaders } from "../harness/service/service.ts";

const WHOAMI = "/api/v1/external/whoami";
const urlOf = (place: Place): string => place.env.LATCHKEY_DATABASE_URL as string;
const PASSWORD = "correct horse battery staple";

describe("latchkey move --from sqlite --to postgres", { skip: POSTGRES_SKIPPED }, () => {
	const source = fixture(() => makePlace("sqlite"), "remove");
	const target = fixture(() => makePlace("postgres"), "remove");

	const move = (from: string, env: Readonly<Record<string, string>> = {}): Promise<Exit> =>
		source.run(["move", "--from", from, "--to", urlOf(target)], { env });

	test("copies everything unchanged: sessions, nonces, Secrets, links, and the audit trail", async () => {
		const old = await source.serve();
		const client: Credentials = await addApiClient(old);
		const login = await old.call("POST", "/api/v1/auth/login", {
			body: { username: "admin", password: PASSWORD },
		});
		const { access_token: token, refresh_token } = login.body.data;
		const approved = await submitApproved(old);
		const claim = await mailedToken(old, approved.email, "claim");
		const pending = await submit(old);
		const headers = signedHeaders(client, { method: "GET", path: WHOAMI, nowMs: old.clock.now() });
		assert.equal((await old.call("GET", WHOAMI, { https: true, headers })).status, 200);
		const served = await move(`sqlite:${source.dataDir}`);
		assert.match(served.stderr, /^latchkey: data directory \S+ is in use by another latchkey process\n$/);
		await old.stop();

		const file = join(source.dataDir, "latchkey.db");
		const digest = sha256Hex(readFileSync(file));
		const { code, stdout, stderr } = await move(`sqlite:${file}`);
		assert.equal(code, 0, stderr);
		assert.match(stdout, /^copied \d+ rows in \d+ tables in [\d.]+ s; counts and digests match$/m);
		assert.equal(stderr, "");
		assert.equal(sha256Hex(readFileSync(file)), digest);
		const marked = await move(`sqlite:${source.dataDir}`);
		assert.match(marked.stderr, /^latchkey: \S+latchkey\.db was copied to PostgreSQL [^\n]+\n$/);
		rmSync(`${file}.moved`);
		const again = await move(`sqlite:${source.dataDir}`);
		assert.match(again.stderr, /^latchkey: the database named by --to is not empty: name an empty one\n$/);

		const service = await target.serve();
		assert.equal((await service.call("GET", "/api/v1/users/me", { token })).status, 200);
		assert.equal((await service.call("GET", WHOAMI, { https: true, headers })).status, 401);
		assert.equal((await service.signed(client, "GET", WHOAMI)).status, 200);
		assert.equal(
			(await service.call("POST", "/api/v1/auth/refresh", { body: { refresh_token } })).status,
			200,
		);
		assert.equal((await service.call("POST", `${REQUESTS}/claim`, { body: { token: claim } })).status, 201);
		assert.equal((await service.call("GET", QUEUE, { token })).body.total, 2);
		assert.equal(
			(await service.call("GET", `${QUEUE}/${pending.id}`, { token })).body.data.status,
			"pending",
		);
		await service.stop();
		const trail = await target.run(["audit", "verify"]);
		assert.match(trail.stdout, /^default: ok, /);
	});

	test("names the required key, and never prints one", async () => {
		const file = join(source.dataDir, "latchkey.db");
		const keyless = { LATCHKEY_DATA_DIR: source.dataDir };
		const args = ["move", "--from", `sqlite:${file}`, "--to", urlOf(target)];
		const none = await runProgram(args, { env: keyless });
		assert.match(
			none.stderr,
			/: set LATCHKEY_MASTER_KEY to the content of the installation's master key file, here/,
		);
		writeFileSync(join(source.dataDir, "master.key"), `${MASTER_KEY}\n`, { mode: 0o600 });
		const made = await runProgram(args, { env: keyless });
		assert.match(
			made.stderr,
			/^latchkey: [^\n]*: set LATCHKEY_MASTER_KEY to the content of \S+master\.key, here and on every node\n$/,
		);
		const other = await move(`sqlite:${file}`, {
			LATCHKEY_MASTER_KEY: Buffer.alloc(32, 6).toString("base64"),
		});
		assert.match(
			other.stderr,
			/^latchkey: the secrets in \S+ are encrypted with master key [0-9a-f]{8}, which is not among the configured keys \([0-9a-f]{8}\): [^\n]+\n$/,
		);
		for (const { code, stdout, stderr } of [none, made, other]) {
			assert.deepEqual([code, stdout], [1, ""]);
			assert.ok(!stderr.includes(MASTER_KEY));
		}
	});

	test("refuses an impossible source or target in one line", async () => {
		const to = urlOf(target);
		const empty = join(source.dataDir, "empty.db");
		writeFileSync(empty, "");
		const foreign = join(source.dataDir, "foreign.db");
		writeFileSync(foreign, "hello".repeat(2_000));
		const from = `sqlite:${source.dataDir}`;
		const cases: readonly (readonly [readonly string[], RegExp, number])[] = [
			[["--from", "/var/lib/latchkey", "--to", to], /--from must be sqlite:<path/, 2],
			[["--from", "sqlite:/nowhere/at.db", "--to", to], /\/nowhere\/at\.db does not exist/, 3],
			[["--from", `sqlite:${empty}`, "--to", to], /empty\.db is empty: there is nothing to copy/, 3],
			[["--from", `sqlite:${foreign}`, "--to", to], /foreign\.db cannot be read: file is not a database/, 5],
			[["--from", from, "--to", "mysql://x"], /--to must be postgres:\/\//, 2],
			[
				["--from", from, "--to", "postgres://u:hunter2@127.0.0.1:1/x"],
				/database 127\.0\.0\.1:1\/x cannot be used/,
				6,
			],
			[["--from", from], /use --to postgres:\/\/… or set LATCHKEY_DATABASE_URL/, 2],
			[["--to", to], /'--from <place>' not specified/, 2],
		];
		for (const [args, line, status] of cases) {
			const { code, stdout, stderr } = await source.run(["move", ...args]);
			assert.deepEqual([code, stdout], [status, ""], stderr);
			assert.match(stderr, line);
			assert.equal(stderr.trim().split("\n").length, 1, stderr);
			assert.ok(!stderr.includes("hunter2"));
		}
	});
});

describe("the old folder, after a move to PostgreSQL", { skip: POSTGRES_SKIPPED }, () => {
	let source: Place;
	let target: Place;
	let mark: string;
	before(async () => {
		source = await makePlace("sqlite");
		target = await makePlace("postgres");
		await (await source.serve()).stop();
		mark = join(source.dataDir, "latchkey.db.moved");
		const move = ["move", "--from", `sqlite:${source.dataDir}`, "--to"];
		const refused = await source.run([...move, "postgres://u:hunter2@127.0.0.1:1/x"]);
		assert.deepEqual([refused.code, existsSync(mark)], [6, false]);
		const { code, stderr } = await source.run([...move, urlOf(target)]);
		assert.equal(code, 0, stderr);
	});
	after(async () => {
		await source.remove();
		await target.remove();
	});

	test("is neither started nor written, and the message names both ways back", async () => {
		const files = ["latchkey.db", "latchkey.db.moved"].map((name) => join(source.dataDir, name));
		const digests = files.map((file) => sha256Hex(readFileSync(file)));
		assert.equal(statSync(mark).mode & 0o777, 0o600);
		for (const args of [
			["serve"],
			["migrate"],
			["admin", "reset-password", "admin"],
			["import", "/dev/null"],
			["keys", "rotate"],
			["rekey"],
			["audit", "prune", "--before", "2026-01-01"],
		]) {
			const { code, stdout, stderr } = await source.run(args);
			assert.deepEqual([code, stdout], [1, ""], args.join(" "));
			assert.match(stderr, /^latchkey: \S+latchkey\.db was copied to PostgreSQL \S+ at \S+Z: [^\n]+\n$/);
			assert.match(stderr, /latchkey restore --replace here; or remove \S+latchkey\.db\.moved/);
			assert.doesNotMatch(stderr, /\/\/|@/);
		}
		const { code, stdout } = await source.run(["doctor"]);
		assert.equal(code, 1);
		assert.match(stdout, /^fail +installation +\S+latchkey\.db was copied to PostgreSQL/m);
		assert.deepEqual(
			files.map((file) => sha256Hex(readFileSync(file))),
			digests,
		);
	});

	test("can still be backed up, and holds a node's other files on PostgreSQL", async () => {
		const { code, stderr } = await source.run(["backup", join(source.dataDir, "old.gz")]);
		assert.equal(code, 0, stderr);
		const env = { LATCHKEY_DATABASE_URL: urlOf(target) };
		const verified = await source.run(["audit", "verify"], { env });
		assert.equal(verified.code, 0, verified.stderr);
	});

	test("starts again with the data from PostgreSQL after restore --replace", async () => {
		const file = join(target.dataDir, "new.gz");
		await (await target.serve()).stop();
		assert.equal((await target.run(["backup", file])).code, 0);
		const kept = await source.run(["restore", file]);
		assert.match(kept.stderr, /^latchkey: the database is not empty/m);
		assert.equal(existsSync(mark), true);
		const { code, stderr } = await source.run(["restore", "--replace", file]);
		assert.equal(code, 0, stderr);
		assert.equal(existsSync(mark), false);
		await (await source.serve()).stop();
	});
});

describe("latchkey restore on PostgreSQL", { skip: POSTGRES_SKIPPED }, () => {
	test("is refused while another connection uses the same role", async () => {
		const place = await makePlace("postgres");
		const file = join(place.dataDir, "backup.gz");
		try {
			await (await place.serve()).stop();
			assert.equal((await place.run(["backup", file])).code, 0);
			const beside = await place.open();
			await beside.queries.one("SELECT 1");
			const refused = await place.run(["restore", "--replace", file]);
			assert.match(
				refused.stderr,
				/^latchkey: the database is in use \(latchkey\): stop the service on every node/,
			);
			assert.equal(refused.code, 4);
			await beside.close();
			assert.equal((await place.run(["restore", "--replace", file])).code, 0);
		} finally {
			await place.remove();
		}
	});
});

describe("through pgbouncer in transaction mode", { skip: POSTGRES_SKIPPED || PGBOUNCER_SKIPPED }, () => {
	test("creates and restores a backup without other clients", async () => {
		const place = await makePlace("postgres");
		const pgbouncer = await startPgbouncer(new URL(urlOf(place)).href.replace(/\?.*$/, ""), { poolSize: 4 });
		const file = join(place.dataDir, "backup.gz");
		const env = { LATCHKEY_DATABASE_URL: pgbouncer.url };
		try {
			await (await place.serve()).stop();
			const made = await place.run(["backup", file], { env });
			assert.equal(made.code, 0, made.stderr);
			const restored = await place.run(["restore", "--replace", file], { env });
			assert.equal(restored.code, 0, restored.stderr);
			assert.match((await place.run(["audit", "verify"], { env })).stdout, /^default: ok, /);
		} finally {
			await pgbouncer.remove();
			await place.remove();
		}
	});
});
