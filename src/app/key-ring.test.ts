import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { randomBytes32 } from "../crypto/random.ts";
import { SecretBox } from "../crypto/secret-box.ts";
import { generateSigningKey } from "../crypto/signing-key.ts";
import { type StoredSigningKey, signingKeyContext } from "../domain/signing-key.ts";
import { PUBLISHED_AHEAD_MS } from "../features/identity/auth/signing-key-life.ts";
import { MINUTE_MS } from "../kernel/clock.ts";
import type { Log } from "../kernel/log.ts";
import { createKeyRing } from "./key-ring.ts";
import { openSigningKey } from "./stored-keys.ts";

const NOON = Date.parse("2026-11-20T12:00:00Z");
const KID = "A".repeat(43);

async function storedKey(box: SecretBox, signsFromMs: number): Promise<StoredSigningKey> {
	const { kid, publicJwk, privateJwk } = await generateSigningKey();
	const privateSealed = box.seal(JSON.stringify(privateJwk), signingKeyContext(kid));
	return { kid, publicJwk, privateSealed, createdAtMs: NOON, signsFromMs, withdrawnAtMs: null };
}

/** A key ring over rows that a test can change, with a count of the reads. */
async function ringOver(rows: StoredSigningKey[], secretBox: SecretBox) {
	const state = {
		rows,
		reads: 0,
		readsAtMs: [] as number[],
		nowMs: NOON,
		fails: false,
		logged: [] as string[],
	};
	const note = (_fields: object, message?: string) => void state.logged.push(message ?? "");
	const ring = await createKeyRing({
		store: {
			async listAll() {
				state.reads++;
				state.readsAtMs.push(performance.now());
				if (state.fails) throw new Error("away");
				return state.rows;
			},
		},
		open: (row) => openSigningKey(row, secretBox),
		clock: () => state.nowMs,
		log: { error: note, warn: note, info: note, debug: note } as unknown as Log,
	});
	return { ring, state, kids: () => ring.current().map(({ kid }) => kid) };
}

describe("the key ring", () => {
	const box = new SecretBox([randomBytes32()]);

	it("changes the signing key at the stored time, without another read", async () => {
		const [old, next] = [await storedKey(box, 0), await storedKey(box, NOON + PUBLISHED_AHEAD_MS)];
		const { ring, state, kids } = await ringOver([next, old], box);
		const objects = ring.current();
		assert.deepEqual(kids(), [old.kid, next.kid]);
		assert.equal(ring.current(), objects, "the same objects while nothing changes");
		state.nowMs += PUBLISHED_AHEAD_MS;
		assert.deepEqual(kids(), [next.kid, old.kid]);
		state.nowMs += 16 * MINUTE_MS;
		assert.deepEqual(kids(), [next.kid]);
		state.nowMs = NOON;
		assert.deepEqual(kids(), [old.kid, next.kid], "a clock set back");
		assert.equal(state.reads, 1);
	});

	it("keeps the same list when a read finds no change", async () => {
		const { ring } = await ringOver([await storedKey(box, 0)], box);
		const before = ring.current();
		await ring.read();
		assert.equal(ring.current(), before);
	});

	it("drops a withdrawn key at the next read, and keeps the objects of the others", async () => {
		const [old, other] = [await storedKey(box, 0), await storedKey(box, 1)];
		const { ring, state, kids } = await ringOver([other, old], box);
		const [signing] = ring.current();
		state.rows = [other, { ...old, withdrawnAtMs: NOON }];
		await ring.read();
		assert.deepEqual(kids(), [other.kid]);
		assert.equal(ring.current()[0], signing);
	});

	it("reads again for unknown key ids, at most four times a second", async () => {
		const { ring, state, kids } = await ringOver([await storedKey(box, 0)], box);
		const added = await storedKey(box, NOON);
		state.rows = [added, ...state.rows];
		await Promise.all(Array.from({ length: 500 }, () => ring.seek(KID)));
		assert.equal(state.reads, 2);
		assert.ok(kids().includes(added.kid));
		for (let round = 0; round < 2; round++)
			await Promise.all(Array.from({ length: 500 }, () => ring.seek(KID)));
		assert.equal(state.reads, 4);
		const [, ...sought] = state.readsAtMs;
		// A timer may fire a millisecond early.
		for (const [index, atMs] of sought.slice(1).entries())
			assert.ok(atMs - (sought[index] as number) >= 248, "more than four reads a second");
	});

	it("does not read for a malformed key id", async () => {
		const { ring, state } = await ringOver([await storedKey(box, 0)], box);
		for (const kid of ["", "x", "../../etc/passwd", "' OR 1=1 --", "A".repeat(42), `${KID}A`])
			await ring.seek(kid);
		assert.equal(state.reads, 1);
	});

	it("reads before signing when the last read is 30 s old", async () => {
		const { ring, state } = await ringOver([await storedKey(box, 0)], box);
		assert.equal(ring.freshen(), undefined);
		state.nowMs += MINUTE_MS;
		await ring.freshen();
		assert.equal(state.reads, 2);
		assert.equal(ring.freshen(), undefined);
		state.nowMs += MINUTE_MS;
		state.fails = true;
		await assert.rejects(async () => ring.freshen());
	});

	it("omits and logs a key that the master keys of this node cannot decrypt", async () => {
		const known = await storedKey(box, 0);
		const { ring, state, kids } = await ringOver([known], box);
		state.rows = [await storedKey(new SecretBox([randomBytes32()]), NOON), known];
		await ring.read();
		assert.deepEqual(kids(), [known.kid]);
		assert.match(state.logged.join(), /cannot be opened/);
	});
});
