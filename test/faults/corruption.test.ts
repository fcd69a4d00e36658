// Damages the files of an embedded database at random. What the service then returns is right, or an error that names the
// damage: never other data, and never a second acceptance.

import assert from "node:assert/strict";
import { cpSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { before, describe, test } from "node:test";
import { checkIntegrity } from "../../src/adapters/sqlite/sqlite-integrity.ts";
import { StartError } from "../../src/kernel/start-error.ts";
import { REQUESTS, rows, submission } from "../harness/access/access-requests.ts";
import { addApiClient } from "../harness/access/applications.ts";
import { WHOAMI } from "../harness/access/signed-wire.ts";
import { addPerson } from "../harness/people/people.ts";
import { acceptCalls, type HealthBody, type SentCall, statusesOf } from "../harness/processes/failovers.ts";
import { ownSettings, startProgram } from "../harness/processes/program.ts";
import { createProgramClient } from "../harness/processes/program-client.ts";
import { atDepth } from "../harness/runs/depth.ts";
import { lastingFolder } from "../harness/runs/folder.ts";
import { ADMIN, type Credentials, startTestService, type TestService } from "../harness/service/service.ts";

const PAGE = 4096;
const CALLS = 20;
/** Of each kind of damage. */
const ROUNDS = atDepth({ quick: 1, all: 2, long: 25 });
const PATHS = ["users", "requests", "applications", "api-clients", "audit-events"].map(
	(list) => `/api/v1/${list}?page_size=100`,
);

/** The same damage in each run, except in `test:long`, which prints its seed. */
const SEED = atDepth({ quick: 1, all: 1, long: Date.now() % 2 ** 32 });
const randomInt = integersFrom(SEED);

interface Counts {
	refusedStarts: number;
	right: number;
	named: number;
}

/** Starts on the files, examines the service, and stops it. @returns false if the start is refused because of damage */
async function startsOnDamaged(
	dataDir: string,
	examine: (service: TestService) => Promise<void>,
): Promise<boolean> {
	let service: TestService;
	try {
		service = await startTestService({ dataDir });
	} catch (error) {
		if (error instanceof StartError && error.kind === "damaged" && error.message.includes("latchkey.db"))
			return false;
		throw error;
	}
	try {
		await examine(service);
	} finally {
		await service.stop();
	}
	return true;
}

function change(file: string, alter: (bytes: Buffer) => void): void {
	const bytes = readFileSync(file);
	alter(bytes);
	writeFileSync(file, bytes);
}

const pageOf = (bytes: Buffer): Buffer => {
	const start = PAGE * randomInt(Math.floor(bytes.length / PAGE));
	return bytes.subarray(start, start + PAGE);
};

const DAMAGED_PAGES: Readonly<Record<string, (bytes: Buffer) => void>> = {
	"a page of zeros": (bytes) => void pageOf(bytes).fill(0),
	"a page of random bytes": (bytes) =>
		void Buffer.from(Array.from({ length: PAGE }, () => randomInt(256))).copy(pageOf(bytes)),
	"a page with a changed header": (bytes) => void pageOf(bytes).fill(0xff, 0, 8),
};

describe("a damaged database file", () => {
	const folder = lastingFolder();
	const whole = join(folder, "whole");
	const damaged = join(folder, "damaged");
	const file = join(damaged, "latchkey.db");
	const expected = new Map<string, string>();
	let token: string;
	let client: Credentials;
	let calls: SentCall[];

	before(async () => {
		const service = await startTestService({ dataDir: whole });
		client = await addApiClient(service);
		for (let added = 0; added < 30; added++) {
			await addPerson(service, `person-${added}`);
			await service.call("POST", REQUESTS, { body: submission({ email: `a${added}@partner.example` }) });
		}
		calls = await acceptCalls(service, client, CALLS);
		token = await service.adminToken();
		await service.stop();
		// The state that every copy starts from: a start may write.
		const again = await startTestService({ dataDir: whole });
		for (const path of PATHS) expected.set(path, await listed(again, path));
		await again.stop();
	});

	async function listed(service: TestService, path: string): Promise<string> {
		const { status, body } = await service.call("GET", path as "/api/v1/users", { token });
		return `${status} ${status === 200 ? JSON.stringify(body) : ""}`;
	}

	async function examine(counts: Counts): Promise<void> {
		const isStarted = await startsOnDamaged(damaged, async (service) => {
			let isNamed = false;
			for (const path of PATHS) {
				const found = await listed(service, path);
				if (found.startsWith("503")) isNamed = true;
				else assert.equal(found, expected.get(path), path);
			}
			const { 503: failed = 0, 401: refused = 0, ...others } = await statusesOf(service, client, calls);
			assert.deepEqual([others, failed + refused], [{}, CALLS], "calls that were accepted before");
			if (failed > 0) isNamed = true;
			const health = await service.call<HealthBody>("GET", "/health");
			const integrity = health.status === 503 ? "unavailable" : health.body.data.checks.database_integrity;
			if (isNamed) assert.notEqual(integrity, "ok", "/health");
			counts[integrity === "ok" ? "right" : "named"]++;
		});
		if (!isStarted) counts.refusedStarts++;
	}

	for (const [title, alter] of Object.entries(DAMAGED_PAGES))
		test(`is right or named with ${title}`, async (t) => {
			const counts = { refusedStarts: 0, right: 0, named: 0 };
			for (let round = 0; round < ROUNDS; round++) {
				copyFolder(whole, damaged);
				change(file, alter);
				await examine(counts);
			}
			t.diagnostic(`seed ${SEED}: ${JSON.stringify(counts)}`);
		});

	test("is right or named when it is cut short, and the integrity check names each cut", async (t) => {
		const counts = { refusedStarts: 0, right: 0, named: 0 };
		for (let round = 0; round < ROUNDS; round++) {
			copyFolder(whole, damaged);
			truncateSync(file, 1 + randomInt(readFileSync(file).length - PAGE));
			const { status } = await checkIntegrity(file, Date.now);
			assert.equal(status, "fail");
			await examine(counts);
		}
		t.diagnostic(`seed ${SEED}: ${JSON.stringify(counts)}`);
	});
});

describe("a damaged log of a service that was killed", () => {
	const folder = lastingFolder();
	const whole = join(folder, "whole");
	const damaged = join(folder, "damaged");
	const log = join(damaged, "latchkey.db-wal");
	const calls: SentCall[] = [];
	const submitted: string[] = [];
	let client: Credentials;
	let signedOut: string;

	before(async () => {
		const env = { ...(await ownSettings(whole)), LATCHKEY_ADMIN_PASSWORD: ADMIN.password };
		const program = await startProgram({ env });
		const caller = createProgramClient(program);
		client = await caller.addApiClient(await caller.signIn(ADMIN.password));
		signedOut = await caller.signIn(ADMIN.password);
		await caller.call("POST", "/api/v1/auth/logout", { token: signedOut });
		for (let sent = 0; sent < CALLS; sent++) {
			const call = { nonce: crypto.randomUUID(), timestamp: String(Math.floor(Date.now() / 1000) + 120) };
			assert.equal((await caller.signed(client, "GET", WHOAMI, call)).status, 200);
			calls.push(call);
			const body = submission({ email: `b${sent}@partner.example` });
			submitted.push((await caller.call("POST", REQUESTS, { body })).body.id);
		}
		caller.close();
		await program.end();
	});

	const DAMAGES: Readonly<Record<string, () => void>> = {
		"a changed bit": () =>
			change(log, (bytes) => {
				const at = randomInt(bytes.length);
				bytes.writeUInt8(bytes.readUInt8(at) ^ (1 << randomInt(8)), at);
			}),
		"an end that is cut off": () => truncateSync(log, randomInt(readFileSync(log).length)),
		"no log at all": () => rmSync(log),
	};

	for (const [title, damage] of Object.entries(DAMAGES))
		test(`accepts no call again with ${title}, and says that commits are missing`, async (t) => {
			const counts = { refusedStarts: 0, lossesSaid: 0, nothingLost: 0 };
			for (let round = 0; round < ROUNDS; round++) {
				copyFolder(whole, damaged);
				rmSync(join(damaged, "latchkey.db-shm"), { force: true });
				damage();
				const isStarted = await startsOnDamaged(damaged, async (service) => {
					assert.equal((await statusesOf(service, client, calls))[200], undefined, "accepted again");
					const { status } = await service.call("GET", "/api/v1/users/me", { token: signedOut });
					assert.equal(status, 401, "signed out");
					const found = (await rows<{ id: string }>(service, "SELECT id FROM requests")).map(({ id }) => id);
					const isLost = submitted.some((id) => !found.includes(id));
					const isSaid = service.logs().includes("the database lacks commits up to");
					assert.ok(isSaid || !isLost, "acknowledged writes are gone without a word");
					counts[isLost ? "lossesSaid" : "nothingLost"]++;
				});
				if (!isStarted) counts.refusedStarts++;
			}
			t.diagnostic(`seed ${SEED}: ${JSON.stringify(counts)}`);
		});
});

function copyFolder(from: string, to: string): void {
	rmSync(to, { recursive: true, force: true });
	cpSync(from, to, { recursive: true });
}

/** Integers from 0 to below the argument, by the generator mulberry32. */
function integersFrom(seed: number): (below: number) => number {
	let state = seed;
	return (below) => {
		state = (state + 0x6d2b79f5) | 0;
		let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
		mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
		return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below);
	};
}
