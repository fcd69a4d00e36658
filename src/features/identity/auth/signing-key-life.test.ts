import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ACCESS_TOKEN_SECONDS } from "../../../domain/session.ts";
import { MINUTE_MS, SECOND_MS } from "../../../kernel/clock.ts";
import {
	describeLife,
	JWKS_MAX_AGE_SECONDS,
	KEYS_READ_EVERY_MS,
	livesOf,
	nextChangeMs,
	PUBLISHED_AHEAD_MS,
	type SigningKeyTimes,
	usableKeys,
} from "./signing-key-life.ts";

const NOON = Date.parse("2026-11-20T12:00:00Z");
const TOKEN_MS = ACCESS_TOKEN_SECONDS * SECOND_MS;

function key(kid: string, signsFromMs: number, withdrawnAtMs: number | null = null): SigningKeyTimes {
	return { kid, createdAtMs: signsFromMs - PUBLISHED_AHEAD_MS, signsFromMs, withdrawnAtMs };
}

const old = key("old", NOON - 1_000 * MINUTE_MS);
const next = key("new", NOON);
const usable = (keys: readonly SigningKeyTimes[], nowMs: number) =>
	usableKeys(keys, nowMs).map(({ kid }) => kid);
const states = (keys: readonly SigningKeyTimes[], nowMs: number) =>
	Object.fromEntries(livesOf(keys, nowMs).map(({ key: { kid }, state }) => [kid, state]));

describe("the life of a signing key", () => {
	it("is published for long enough before it signs", () => {
		assert.ok(PUBLISHED_AHEAD_MS > JWKS_MAX_AGE_SECONDS * SECOND_MS + 10 * KEYS_READ_EVERY_MS);
		assert.ok(PUBLISHED_AHEAD_MS > 10 * MINUTE_MS, "what jose and others cache for");
	});

	it("goes next, signing, retired, gone, and a single key signs without end", () => {
		assert.deepEqual(states([old], NOON), { old: "signing" });
		assert.deepEqual(states([old, next], NOON - 1), { old: "signing", new: "next" });
		assert.deepEqual(states([next, old], NOON), { old: "retired", new: "signing" });
		const lastTokenDies = NOON - 1 + TOKEN_MS;
		assert.deepEqual(states([old, next], lastTokenDies), { old: "retired", new: "signing" });
		assert.deepEqual(states([old, next], NOON + TOKEN_MS + MINUTE_MS), { old: "gone", new: "signing" });
	});

	it("puts the one that signs first, then those to come, then those that verify on", () => {
		const later = key("later", NOON + 30 * MINUTE_MS);
		assert.deepEqual(usable([old, next], NOON - 1), ["old", "new"]);
		assert.deepEqual(usable([later, old, next], NOON), ["new", "later", "old"]);
		assert.deepEqual(usable([later, old, next], NOON + 30 * MINUTE_MS), ["later", "new"]);
	});

	it("ends at once for a withdrawn key, and the one before it takes over nothing", () => {
		const dropped = { ...old, withdrawnAtMs: NOON };
		assert.deepEqual(usable([dropped, next], NOON), ["new"]);
		assert.deepEqual(states([dropped, next], NOON), { old: "withdrawn", new: "signing" });
	});

	it("does not come back when the key after it is withdrawn, and goes on when that one never signed", () => {
		const later = NOON + 60 * MINUTE_MS;
		const replacing = key("replacing", later);
		assert.deepEqual(usable([old, { ...next, withdrawnAtMs: later }, replacing], later), ["replacing"]);
		const neverSigned = { ...next, withdrawnAtMs: NOON - 1 };
		assert.deepEqual(usable([old, neverSigned], later), ["old"]);
		assert.deepEqual(usable([old, neverSigned, replacing], later), ["replacing", "old"]);
	});

	it("lets the earliest sign when the clock says that none is due", () => {
		assert.deepEqual(usable([next, key("later", NOON + 1)], NOON - MINUTE_MS), ["new", "later"]);
		assert.deepEqual(usable([], NOON), []);
	});

	it("knows when it changes next", () => {
		assert.equal(nextChangeMs([old], NOON), undefined);
		assert.equal(nextChangeMs([old, next], NOON - 1), NOON);
		assert.equal(nextChangeMs([old, next], NOON), NOON + TOKEN_MS + MINUTE_MS);
		assert.equal(nextChangeMs([old, next], NOON + TOKEN_MS + MINUTE_MS), undefined);
	});

	it("is described for people", () => {
		const descriptions = livesOf([old, next], NOON - 1).map(describeLife);
		assert.deepEqual(descriptions, [
			"published, signs from 2026-11-20T12:00:00.000Z",
			"signs, published until 2026-11-20T12:16:00.000Z",
		]);
	});
});
