// Kills the service under load: afterwards every acknowledged write exists, complete and once.

import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, before, describe, test } from "node:test";
import { storedAs, storedNonces } from "../harness/databases/claimed-nonces.ts";
import { runCommand } from "../harness/processes/command.ts";
import { ownSettings, type ReadyProgram, spawnProgram, startProgram } from "../harness/processes/program.ts";
import { createProgramClient, type ProgramClient } from "../harness/processes/program-client.ts";
import { atDepth } from "../harness/runs/depth.ts";
import { lastingFolder } from "../harness/runs/folder.ts";
import { ADMIN, type Credentials } from "../harness/service/service.ts";

const WHOAMI = "/api/v1/external/whoami";
const REQUESTS = "/api/v1/access-requests";
const QUEUE = "/api/v1/requests";
const ROUNDS = atDepth({ quick: 1, all: 10, long: 100 });
const CALLERS = 8;
const SAMPLE = 5;

/** Acknowledged writes, and all other responses. */
interface Ledger {
	readonly requests: string[];
	readonly nonces: string[];
	readonly odd: string[];
	readonly sent: { requests: number; nonces: number };
}

const folder = lastingFolder();
const dataDir = join(folder, "data");
const ledger: Ledger = { requests: [], nonces: [], odd: [], sent: { requests: 0, nonces: 0 } };
/** Called after each acknowledgement. */
let onAcknowledged: () => void = () => undefined;
let env: Record<string, string>;
let program: ReadyProgram;
let client: ProgramClient;
let token: string;
let credentials: Credentials;

before(async () => {
	// Mail cannot be delivered and stays in the outbox, where the test counts it.
	const noMail = { LATCHKEY_SMTP_URL: "smtp://127.0.0.1:9" };
	env = { ...(await ownSettings(dataDir)), ...noMail, LATCHKEY_ADMIN_PASSWORD: ADMIN.password };
	program = await startProgram({ env });
	client = createProgramClient(program);
	token = await client.signIn(ADMIN.password);
	credentials = await client.addApiClient(token);
});
after(async () => {
	client.close();
	await program.end();
});

async function restart(): Promise<void> {
	client.close();
	program = await startProgram({ env });
	client = createProgramClient(program);
}

/** Submits requests one by one until the connection breaks, and records the responses. */
async function submitInARow(): Promise<void> {
	for (;;) {
		ledger.sent.requests += 1;
		const body = {
			applicant_name: "Ada Lovelace",
			email: `applicant-${ledger.sent.requests}@partner.example`,
			project_name: "Engine",
			purpose: "To compute Bernoulli numbers.",
		};
		const response = await client.call("POST", REQUESTS, { body });
		if (response.status === 201) acknowledge(ledger.requests, response.body.id);
		else ledger.odd.push(`${response.status} ${JSON.stringify(response.body)}`);
	}
}

async function signInARow(): Promise<void> {
	for (;;) {
		ledger.sent.nonces += 1;
		const nonce = crypto.randomUUID();
		const response = await client.signed(credentials, "GET", WHOAMI, { nonce });
		if (response.status === 200) acknowledge(ledger.nonces, nonce);
		else ledger.odd.push(`${response.status} ${JSON.stringify(response.body)}`);
	}
}

function acknowledge(acknowledged: string[], id: string): void {
	acknowledged.push(id);
	onAcknowledged();
}

/** Kills under load, after this many further acknowledgements and at least two of each kind. */
async function killUnderLoad(acknowledgements: number): Promise<void> {
	const [requests, nonces] = [ledger.requests.length + 2, ledger.nonces.length + 2];
	const enough = requests + nonces - 4 + acknowledgements;
	const enoughAcknowledged = new Promise<void>((resolve) => {
		onAcknowledged = () => {
			const [{ length: allRequests }, { length: allNonces }] = [ledger.requests, ledger.nonces];
			if (allRequests >= requests && allNonces >= nonces && allRequests + allNonces >= enough) resolve();
		};
	});
	const callers = Array.from({ length: 2 * CALLERS }, (_, index) =>
		index < CALLERS ? submitInARow() : signInARow(),
	);
	const broken = Promise.allSettled(callers);
	// A caller that stops before the kill also ends the wait: its responses fail the test.
	await Promise.race([enoughAcknowledged, broken]);
	await program.end();
	await broken;
}

/** A crash would lose the latest acknowledged writes. */
async function checkSample(): Promise<void> {
	for (const id of ledger.requests.slice(-SAMPLE)) {
		const response = await client.call("GET", `${QUEUE}/${id}`, { token });
		assert.equal(response.status, 200, `access request ${id} is lost`);
	}
	for (const nonce of ledger.nonces.slice(-SAMPLE)) {
		const response = await client.signed(credentials, "GET", WHOAMI, { nonce });
		assert.equal(response.status, 401, `nonce ${nonce} is accepted again`);
		assert.match(response.body.error, /X-Nonce was used before/);
	}
}

describe("kill -9 under load", () => {
	test("loses no acknowledged write, and accepts no nonce again", async (t) => {
		for (let round = 0; round < ROUNDS; round++) {
			await killUnderLoad(1 + Math.floor(Math.random() * 60));
			if (round % 10 === 0) await killWhileStarting();
			await restart();
			await checkSample();
		}
		assert.deepEqual(ledger.odd, []);
		program.kill("SIGTERM");
		assert.equal((await program.exited).code, 0);
		const found = await readBack();
		const lost = {
			requests: ledger.requests.filter((id) => !found.requests.has(id)),
			nonces: ledger.nonces.filter((nonce) => !found.nonces.has(storedAs(found.clientId, nonce))),
		};
		t.diagnostic(
			`access requests: ${ledger.sent.requests} sent, ${ledger.requests.length} acknowledged, ${found.requests.size} found, ${lost.requests.length} lost`,
		);
		t.diagnostic(
			`nonces: ${ledger.sent.nonces} sent, ${ledger.nonces.length} acknowledged, ${found.nonces.size} found, ${lost.nonces.length} lost`,
		);
		assert.deepEqual(lost, { requests: [], nonces: [] });
		assert.ok(ledger.requests.length > ROUNDS && ledger.nonces.length > ROUNDS, "there was hardly any load");
	});

	test("leaves every transaction whole: access request, audit event and mails", async () => {
		const { requests, audited, mails } = await readBack();
		assert.equal(audited, requests.size);
		assert.equal(mails % requests.size, 0, `${mails} mails for ${requests.size} requests`);
		assert.ok(mails >= requests.size);
		const { code, stdout, stderr } = await runCommand(["audit", "verify"], { env });
		assert.equal(code, 0, stdout + stderr);
	});
});

/** Kills at a random moment: the lock of the folder and the database survive it. */
async function killWhileStarting(): Promise<void> {
	const starting = spawnProgram(["serve"], { env });
	await new Promise((resolve) => setTimeout(resolve, 100 + Math.random() * 300));
	await starting.end();
}

/** Reads the file while no service runs. */
async function readBack(): Promise<{
	requests: Set<unknown>;
	nonces: Set<string>;
	clientId: string;
	audited: number;
	mails: number;
}> {
	const database = new DatabaseSync(join(dataDir, "latchkey.db"));
	try {
		const [check] = database.prepare("PRAGMA integrity_check").all();
		assert.deepEqual({ ...check }, { integrity_check: "ok" });
		const column = (sql: string): unknown[] => database.prepare(sql).all().flatMap(Object.values);
		return {
			requests: new Set(column("SELECT id FROM requests")),
			nonces: await storedNonces((sql) => column(sql).map(String)),
			clientId: String(column(`SELECT id FROM api_clients WHERE api_key = '${credentials.api_key}'`)[0]),
			audited: Number(
				column("SELECT count(*) FROM audit_events WHERE action = 'access_request.submitted'")[0],
			),
			mails: Number(column("SELECT count(*) FROM mail_outbox")[0]),
		};
	} finally {
		database.close();
	}
}
