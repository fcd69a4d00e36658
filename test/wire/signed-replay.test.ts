// A used nonce is refused even after a restart, a clock set back, and its purge.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { batchedNonces } from "../../src/adapters/stores/batched-nonces.ts";
import { groupedNonces } from "../../src/adapters/stores/grouped-nonces.ts";
import { sha256Hex } from "../../src/crypto/digest.ts";
import { addApiClient } from "../harness/access/applications.ts";
import { sendSigned, signedBytes, verdict } from "../harness/access/signed-wire.ts";
import { noncesOf } from "../harness/databases/claimed-nonces.ts";
import { TEST_ENGINE } from "../harness/databases/test-engine.ts";
import { fixture, setup } from "../harness/runs/fixture.ts";
import { connect, exchange, type RawResponse } from "../harness/service/raw-connection.ts";
import { startTestService, type TestService } from "../harness/service/service.ts";

const START_MS = 1_800_000_000_000;
const HOUR_MS = 3_600_000;
const REUSED = "401 nonce.reused";
/** Several writers forget whole hours. */
const IS_RING = TEST_ENGINE === "postgres";

let dataDir: string;
let service: TestService;
setup(async () => {
	dataDir = mkdtempSync(join(tmpdir(), "latchkey-replay-"));
	service = await startTestService({ dataDir });
	service.clock.standAt(START_MS);
});
const client = fixture(() => addApiClient(service));
after(async () => {
	await service.stop();
	rmSync(dataDir, { recursive: true });
});

const resend = (bytes: Buffer): Promise<RawResponse> => exchange(service, bytes, { secure: true });

async function restart(): Promise<void> {
	const now = service.clock.now();
	await service.stop();
	service = await startTestService({ dataDir });
	service.clock.standAt(now);
}

/** Deletes nonces signed before a time. With several writers, whole hours that ended more than an hour before it. */
async function purge(beforeSeconds: number, limit = 1_000): Promise<number> {
	await using engine = await service.openDatabase();
	const noncesOn = engine.soleWriter
		? batchedNonces(engine, undefined)
		: groupedNonces(engine, { digestOf: sha256Hex });
	return await engine.transaction((queries) => noncesOn(queries).purge(beforeSeconds, limit));
}

const kept = async (): Promise<number> => (await noncesOf(service)).size;

describe("a replay", () => {
	test("is refused on the same connection, on another, and with the same bytes", async () => {
		const bytes = signedBytes(service, client);
		assert.equal(await verdict(resend(bytes)), "200");
		assert.equal(await verdict(resend(bytes)), REUSED);
	});

	test("in the same packet as its original leaves only one of the two accepted", async () => {
		const bytes = signedBytes(service, client);
		const connection = connect(service, { secure: true });
		connection.write(Buffer.concat([bytes, bytes]));
		const verdicts = [await verdict(connection.next()), await verdict(connection.next())];
		connection.close();
		assert.deepEqual(verdicts.sort(), ["200", REUSED]);
		assert.equal(await verdict(resend(bytes)), REUSED);
	});

	test("is still a replay with another timestamp or body, signed again", async () => {
		const nonce = crypto.randomUUID();
		const timestamp = String(START_MS / 1000 + 5);
		assert.equal(await verdict(sendSigned(service, client, { nonce })), "200");
		assert.equal(await verdict(sendSigned(service, client, { nonce, timestamp })), REUSED);
		assert.equal(await verdict(sendSigned(service, client, { nonce, body: "{}" })), REUSED);
	});

	test("is refused after a restart", async () => {
		const bytes = signedBytes(service, client);
		assert.equal(await verdict(resend(bytes)), "200");
		await restart();
		assert.equal(await verdict(resend(bytes)), REUSED);
	});

	test("is refused at both ends of its window, and later because of its age", async () => {
		const early = signedBytes(service, client, { timestamp: String(START_MS / 1000 + 300) });
		assert.equal(await verdict(resend(early)), "200");
		service.clock.standAt(START_MS + 600_000);
		assert.equal(await verdict(resend(early)), REUSED);
		service.clock.standAt(START_MS + 601_000);
		assert.equal(await verdict(resend(early)), "401 signature.timestamp");
	});

	test("is refused when the clock is set back", async () => {
		service.clock.standAt(START_MS + 10 * 60_000);
		const bytes = signedBytes(service, client);
		assert.equal(await verdict(resend(bytes)), "200");
		service.clock.standAt(START_MS + 10 * 60_000 + HOUR_MS);
		await purge(Math.floor(service.clock.now() / 1000) - 300 - 3_600);
		service.clock.standAt(START_MS + 10 * 60_000);
		assert.equal(await verdict(resend(bytes)), REUSED);
	});
});

describe("a purged nonce", () => {
	test("is refused like every other nonce while the clock is set back to its time", async () => {
		const oldMs = START_MS + 2 * HOUR_MS;
		service.clock.standAt(oldMs);
		const old = signedBytes(service, client);
		assert.equal(await verdict(resend(old)), "200");
		const newest = signedBytes(service, client, { timestamp: String(oldMs / 1000 + 10) });
		assert.equal(await verdict(resend(newest)), "200");
		// The floor is the last nonce that was deleted, or the end of its hour.
		const floor = IS_RING ? 3_599 : 10;
		await purge(oldMs / 1000 + (IS_RING ? 2 * 3_600 : 1_000));
		assert.equal(await kept(), 0);
		assert.equal(await verdict(resend(old)), REUSED);
		assert.equal(await verdict(resend(newest)), REUSED);
		for (const [seconds, expected] of [
			[-10, REUSED],
			[0, REUSED],
			[floor, REUSED],
			[floor + 1, "200"],
		] as const) {
			service.clock.standAt(oldMs + seconds * 1000);
			const timestamp = String(oldMs / 1000 + seconds);
			assert.equal(await verdict(sendSigned(service, client, { timestamp })), expected, `${seconds}`);
		}
	});

	test("leaves the floor unchanged by a restart", async () => {
		const floored = String(Math.floor(service.clock.now() / 1000) - 1);
		await restart();
		assert.equal(await verdict(sendSigned(service, client, { timestamp: floored })), REUSED);
	});

	test("is among the oldest, and shares its fate with the others of its second", {
		skip: IS_RING && "several writers forget whole hours",
	}, async () => {
		const base = START_MS / 1000 + 4 * 3_600;
		service.clock.standAt(base * 1000);
		await purge(base - 1_000);
		const sent = [0, 1, 1, 2, 3].map((seconds) =>
			signedBytes(service, client, { timestamp: String(base + seconds) }),
		);
		for (const bytes of sent) assert.equal(await verdict(resend(bytes)), "200");
		// Two nonces share the timestamp at the limit, and the floor is a timestamp.
		assert.equal(await purge(base + 100, 2), 3);
		assert.equal(await kept(), 2);
		for (const bytes of sent) assert.equal(await verdict(resend(bytes)), REUSED);
		for (const [timestamp, expected] of [
			[base + 1, REUSED],
			[base + 2, "200"],
		] as const)
			assert.equal(await verdict(sendSigned(service, client, { timestamp: String(timestamp) })), expected);
	});
});
