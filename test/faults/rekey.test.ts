// Changes the master key under load and kills the command midway: every node accepts signed requests
// throughout, and a Secret regenerated in the meantime stays valid.

import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { randomBytes32, randomToken } from "../../src/crypto/random.ts";
import { parseMasterKeys, SecretBox } from "../../src/crypto/secret-box.ts";
import { mailContext } from "../../src/domain/mail.ts";
import { newId } from "../../src/kernel/id.ts";
import { withSecret } from "../harness/access/applications.ts";
import { until } from "../harness/databases/ledger.ts";
import { createPostgresDatabase, type OwnDatabase, TEST_ENGINE } from "../harness/databases/test-engine.ts";
import { codeFor } from "../harness/people/registration.ts";
import { runCommand } from "../harness/processes/command.ts";
import { type Exit, spawnProgram } from "../harness/processes/program.ts";
import { lastingFolder } from "../harness/runs/folder.ts";
import { type Credentials, startTestService, type TestService } from "../harness/service/service.ts";

const WHOAMI = "/api/v1/external/whoami";
const CALLERS = 2;
/** The pause between two calls of a caller: the command needs most of the CPU. */
const PAUSE_MS = 20;
/** Enough rows to kill the command midway. */
const SEALED_ROWS = 4_000;

const root = lastingFolder();
const keyFiles = [join(root, "one.key"), join(root, "two.key")];
const oldKey = randomBytes32().toString("base64");
const newKey = randomBytes32().toString("base64");
const idOf = (keysText: string): string => new SecretBox(parseMasterKeys(keysText)).keyId;

let database: OwnDatabase | undefined;
let nodes: TestService[];
let commandEnv: Record<string, string>;
const first = (): TestService => nodes[0] as TestService;

before(async () => {
	if (TEST_ENGINE === "postgres") {
		database = await createPostgresDatabase({ migrated: true });
		writeKeys(oldKey);
		const LATCHKEY_DATABASE_URL = `${database.url}?pool_size=8`;
		nodes = [];
		for (const LATCHKEY_MASTER_KEY_FILE of keyFiles)
			nodes.push(await startTestService({ env: { LATCHKEY_DATABASE_URL, LATCHKEY_MASTER_KEY_FILE } }));
		const [LATCHKEY_MASTER_KEY_FILE = ""] = keyFiles;
		const LATCHKEY_DATA_DIR = join(root, "command");
		commandEnv = { LATCHKEY_DATABASE_URL: database.url, LATCHKEY_MASTER_KEY_FILE, LATCHKEY_DATA_DIR };
	} else {
		nodes = [await startTestService()];
		commandEnv = { LATCHKEY_DATA_DIR: first().dataDir };
	}
});
after(async () => {
	for (const node of nodes) await node.stop();
	await database?.drop();
});

function writeKeys(...keys: string[]): void {
	for (const file of keyFiles) writeFileSync(file, keys.join(","), { mode: 0o600 });
}

/** Stores mails sealed as the service does; as failed, so that no job sends them. */
async function seed(keysText: string): Promise<void> {
	const box = new SecretBox(parseMasterKeys(keysText));
	const engine = await first().openDatabase();
	const tenant = await engine.queries.one<{ id: string }>("SELECT id FROM tenants");
	await engine.transaction(async (queries) => {
		for (let index = 0; index < SEALED_ROWS; index++) {
			const id = newId(Date.now());
			await queries.run(
				`INSERT INTO mail_outbox (id, tenant_id, status, payload_sealed, attempts, next_attempt_at, last_error, created_at)
				 VALUES ($1, $2, 'failed', $3, 0, 0, '', 0)`,
				id,
				tenant?.id ?? "",
				box.seal("a mail", mailContext(id)),
			);
		}
	});
	await engine.close();
}

async function keyIdsInUse(): Promise<string[]> {
	const { stdout } = await runCommand(["rekey", "--check"], { env: commandEnv });
	return [...new Set([...stdout.matchAll(/^\w+\.\w+ {2}([0-9a-f]{8})/gm)].map(([, id = ""]) => id))].sort();
}

async function addClient(): Promise<Credentials & { readonly id: string }> {
	const token = await first().adminToken();
	const application = { name: `Load ${randomToken()}` };
	const { body } = await first().call("POST", "/api/v1/applications", { token, body: application });
	const client = { app_id: body.data.id, name: "Load" };
	return withSecret((await first().call("POST", "/api/v1/api-clients", { token, body: client })).body.data);
}

interface Ledger {
	accepted: number;
	readonly refused: string[];
}

async function callUntil(done: () => boolean, credentials: Credentials, ledger: Ledger): Promise<void> {
	for (let turn = 0; !done(); turn++) {
		const node = nodes[turn % nodes.length] as TestService;
		const { status, body } = await node.signed(credentials, "GET", WHOAMI);
		if (status === 200) ledger.accepted++;
		else ledger.refused.push(`${status} ${JSON.stringify(body)}`);
		await wait(PAUSE_MS);
	}
}

/** Regenerates a Secret repeatedly, on every node in turn, and uses it at once on every node. */
async function regenerateUntil(done: () => boolean, client: Credentials & { id: string }, ledger: Ledger) {
	let latest: Credentials = client;
	for (let turn = 0; !done(); turn++) {
		const node = nodes[turn % nodes.length] as TestService;
		const token = await first().adminToken();
		const response = await node.call("POST", `/api/v1/api-clients/${client.id}/regenerate-secret`, {
			token,
			body: {},
		});
		latest = response.body.data;
		for (const other of nodes) {
			const { status } = await other.signed(latest, "GET", WHOAMI);
			if (status === 200) ledger.accepted++;
			else ledger.refused.push(`regenerated: ${status}`);
		}
		await wait(PAUSE_MS);
	}
	return latest;
}

/** Kills the command after it reported its first batch. @returns whether it still ran */
async function killInTheMiddle(args: readonly string[]): Promise<boolean> {
	const command = spawnProgram(args, { env: commandEnv, onTerminal: true });
	await command.printed(/secrets re-encrypted/);
	command.kill("SIGKILL");
	return (await command.exited).signal === "SIGKILL";
}

describe("latchkey rekey under load", () => {
	it("refuses no signed request, keeps every regenerated Secret, and continues after kill -9", async (t) => {
		const before = TEST_ENGINE === "postgres" ? oldKey : first().masterKeys();
		await seed(before);
		const [client, changing] = [await addClient(), await addClient()];
		const ledger: Ledger = { accepted: 0, refused: [] };
		let finished = false;
		const done = () => finished;
		const callers = Array.from({ length: CALLERS }, () => callUntil(done, client, ledger));
		const regenerating = regenerateUntil(done, changing, ledger);

		const args = TEST_ENGINE === "postgres" ? ["rekey"] : ["rekey", "--new-key"];
		if (TEST_ENGINE === "postgres") {
			// Every node can use the new key before any seals with it: nodes reload the key files automatically.
			writeKeys(oldKey, newKey);
			writeKeys(newKey, oldKey);
		}
		assert.ok(await killInTheMiddle(args), "it was done before it was killed");
		assert.equal((await keyIdsInUse()).length, 2, "it was killed in the middle");
		const { code, stdout, stderr }: Exit = await runCommand(args, { env: commandEnv });
		assert.equal(code, 0, stderr);
		const now = TEST_ENGINE === "postgres" ? newKey : first().masterKeys();
		assert.match(stdout, new RegExp(`everything is encrypted with master key ${idOf(now)}`));
		if (TEST_ENGINE === "postgres") writeKeys(newKey);

		const accepted = ledger.accepted;
		await until(
			"further signed requests",
			() => ledger.accepted >= accepted + 20 || ledger.refused.length > 0,
		);
		finished = true;
		await Promise.all(callers);
		const latest = await regenerating;
		t.diagnostic(
			`${nodes.length} node(s): ${ledger.accepted} signed requests accepted, ${ledger.refused.length} refused`,
		);
		assert.deepEqual(ledger.refused, []);
		assert.ok(ledger.accepted > 50, "there was hardly any load");
		assert.deepEqual(await keyIdsInUse(), [idOf(now)]);
		for (const node of nodes) {
			assert.equal((await node.signed(latest, "GET", WHOAMI)).status, 200);
			assert.equal((await node.signed(client, "GET", WHOAMI)).status, 200);
		}
	});

	it("records an audit event, and keeps the old key in a separate file", async () => {
		const token = await first().adminToken();
		const events = await first().call("GET", "/api/v1/audit-events?action=secrets.resealed", { token });
		assert.equal(events.body.total, 1);
		const [event] = events.body.data;
		assert.ok(event);
		const { target, details } = event;
		const now = TEST_ENGINE === "postgres" ? newKey : first().masterKeys();
		assert.equal(target, `master_key:${idOf(now)}`);
		assert.ok(Number(details.texts) > 100);
		assert.ok(Array.isArray(details.from));
		assert.equal(details.from.length, 1);
		if (TEST_ENGINE === "postgres") return;
		assert.ok(!now.includes(","));
		const old = readFileSync(join(first().dataDir, "master.key.old"), "utf8").trim();
		assert.deepEqual(details.from, [idOf(old)]);
		assert.ok(!existsSync(join(first().dataDir, "master.key.tmp")));
	});
});

describe("a start with another first key", () => {
	it("accepts a code that was mailed before the start", async () => {
		const folder = join(root, "restarted");
		const start = (LATCHKEY_MASTER_KEY: string) =>
			startTestService({ dataDir: folder, env: { LATCHKEY_MASTER_KEY } });
		let service = await start(oldKey);
		const code = await codeFor(service, "ada@people.example");
		await service.stop();
		service = await start(`${newKey},${oldKey}`);
		try {
			const body = {
				username: "ada",
				email: "ada@people.example",
				password: "the long password of ada",
				code,
			};
			assert.equal((await service.call("POST", "/api/v1/auth/register", { body })).status, 201);
		} finally {
			await service.stop();
		}
	});
});
