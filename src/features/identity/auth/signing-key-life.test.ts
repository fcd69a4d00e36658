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
		assert.ok(PUBLISHED_AHEAD_MS > 10 * MINUTE_MS, "the cache time of jose and other libraries");
	});

	it("passes through next, signing, retired, and gone; a single key signs forever", () => {
		assert.deepEqual(states([old], NOON), { old: "signing" });
		assert.deepEqual(states([old, next], NOON - 1), { old: "signing", new: "next" });
		assert.deepEqual(states([next, old], NOON), { old: "retired", new: "signing" });
		const lastTokenExpires = NOON - 1 + TOKEN_MS;
		assert.deepEqual(states([old, next], lastTokenExpires), { old: "retired", new: "signing" });
		assert.deepEqual(states([old, next], NOON + TOKEN_MS + MINUTE_MS), { old: "gone", new: "signing" });
	});

	it("lists the signing key first, then future keys, then retired ones", () => {
		const later = key("later", NOON + 30 * MINUTE_MS);
		assert.deepEqual(usable([old, next], NOON - 1), ["old", "new"]);
		assert.deepEqual(usable([later, old, next], NOON), ["new", "later", "old"]);
		assert.deepEqual(usable([later, old, next], NOON + 30 * MINUTE_MS), ["later", "new"]);
	});

	it("ends immediately for a withdrawn key, without reviving the key before it", () => {
		const dropped = { ...old, withdrawnAtMs: NOON };
		assert.deepEqual(usable([dropped, next], NOON), ["new"]);
		assert.deepEqual(states([dropped, next], NOON), { old: "withdrawn", new: "signing" });
	});

	it("does not resume when the next key is withdrawn, unless that key never signed", () => {
		const later = NOON + 60 * MINUTE_MS;
		const replacing = key("replacing", later);
		assert.deepEqual(usable([old, { ...next, withdrawnAtMs: later }, replacing], later), ["replacing"]);
		const neverSigned = { ...next, withdrawnAtMs: NOON - 1 };
		assert.deepEqual(usable([old, neverSigned], later), ["old"]);
		assert.deepEqual(usable([old, neverSigned, replacing], later), ["replacing", "old"]);
	});

	it("lets the earliest key sign if none is due by the clock", () => {
		assert.deepEqual(usable([next, key("later", NOON + 1)], NOON - MINUTE_MS), ["new", "later"]);
		assert.deepEqual(usable([], NOON), []);
	});

	it("returns the time of the next change", () => {
		assert.equal(nextChangeMs([old], NOON), undefined);
		assert.equal(nextChangeMs([old, next], NOON - 1), NOON);
		assert.equal(nextChangeMs([old, next], NOON), NOON + TOKEN_MS + MINUTE_MS);
		assert.equal(nextChangeMs([old, next], NOON + TOKEN_MS + MINUTE_MS), undefined);
	});

	it("is described for the operator", () => {
		const descriptions = livesOf([old, next], NOON - 1).map(describeLife);
		assert.deepEqual(descriptions, [
			"published, signs from 2026-11-20T12:00:00.000Z",
			"signs, published until 2026-11-20T12:16:00.000Z",
		]);
	});
});
