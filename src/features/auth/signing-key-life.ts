// The life of a signing key, decided by what the database says of all of them and the time: next, signing, retired, gone.

import { isoTime, MINUTE_MS, SECOND_MS } from "../../kernel/clock.ts";
import { ACCESS_TOKEN_SECONDS, type StoredSigningKey } from "./model.ts";

/** How long whoever verifies our tokens may keep the JWK set: its `Cache-Control`. */
export const JWKS_MAX_AGE_SECONDS = 300;

/** How often every node reads the keys again. */
export const KEYS_READ_EVERY_MS = 2 * SECOND_MS;

/**
 * Between the publishing of a key and its first signature. Longer than `JWKS_MAX_AGE_SECONDS` and the nodes' own
 * reading together, and than the ten minutes that widespread verifiers keep a set whatever its headers say.
 */
export const PUBLISHED_AHEAD_MS = 15 * MINUTE_MS;

/** By so much the clocks of nodes, or of those who verify, may differ. */
const CLOCK_SLACK_MS = MINUTE_MS;

/** A token lives this long; its key is published a little longer. */
const TOKEN_MS = ACCESS_TOKEN_SECONDS * SECOND_MS;

export type SigningKeyTimes = Pick<StoredSigningKey, "kid" | "createdAtMs" | "signsFromMs" | "withdrawnAtMs">;

/**
 * `next` is published and does not sign yet; `signing` is the one that signs; `retired` is published until the last
 * token it signed is dead; `gone` proves no token any more. A `withdrawn` key was dropped before its time and is as
 * gone. Checkpoints of the audit trail are proved with keys of every state.
 */
export type KeyState = "next" | "signing" | "retired" | "gone" | "withdrawn";

export interface KeyLife<K> {
	readonly key: K;
	readonly state: KeyState;
	/** When it ceases to verify; null while no later key is known. */
	readonly publishedUntilMs: number | null;
}

/** In the order of `signsFromMs`, the latest first. With no key due yet (a clock set back) the earliest signs. */
export function livesOf<K extends SigningKeyTimes>(keys: readonly K[], nowMs: number): KeyLife<K>[] {
	const ordered = keys.toSorted(
		(a, b) => b.signsFromMs - a.signsFromMs || b.createdAtMs - a.createdAtMs || (a.kid < b.kid ? 1 : -1),
	);
	const live = ordered.filter(({ withdrawnAtMs }) => withdrawnAtMs === null);
	const signing = live.find(({ signsFromMs }) => signsFromMs <= nowMs) ?? live.at(-1);
	return ordered.map((key, index): KeyLife<K> => {
		if (key.withdrawnAtMs !== null) return { key, state: "withdrawn", publishedUntilMs: key.withdrawnAtMs };
		const successor = ordered.slice(0, index).findLast(hasOrWillSign);
		const publishedUntilMs =
			successor === undefined ? null : successor.signsFromMs + TOKEN_MS + CLOCK_SLACK_MS;
		return { key, state: stateOf(key, signing, publishedUntilMs, nowMs), publishedUntilMs };
	});
}

/** One withdrawn before its turn never relieved the key before it; one withdrawn later did. */
function hasOrWillSign({ signsFromMs, withdrawnAtMs }: SigningKeyTimes): boolean {
	return withdrawnAtMs === null || withdrawnAtMs > signsFromMs;
}

function stateOf(
	key: SigningKeyTimes,
	signing: SigningKeyTimes | undefined,
	publishedUntilMs: number | null,
	nowMs: number,
): KeyState {
	if (key === signing) return "signing";
	if (key.signsFromMs > nowMs) return "next";
	return publishedUntilMs !== null && nowMs >= publishedUntilMs ? "gone" : "retired";
}

/** Those that verify tokens now, first the one that signs. */
export function usableKeys<K extends SigningKeyTimes>(keys: readonly K[], nowMs: number): K[] {
	const lives = livesOf(keys, nowMs);
	const inState = (state: KeyState) => lives.filter((life) => life.state === state).map(({ key }) => key);
	return [...inState("signing"), ...inState("next"), ...inState("retired")];
}

/** The next moment at which `usableKeys` answers otherwise; undefined when it never does. */
export function nextChangeMs(keys: readonly SigningKeyTimes[], nowMs: number): number | undefined {
	const moments = livesOf(keys, nowMs).flatMap(({ key, publishedUntilMs }) => [
		key.signsFromMs,
		publishedUntilMs ?? 0,
	]);
	const later = moments.filter((moment) => moment > nowMs);
	return later.length === 0 ? undefined : Math.min(...later);
}

/** For people: what happens to a key next. */
export function describeLife({ state, key, publishedUntilMs }: KeyLife<SigningKeyTimes>): string {
	if (state === "next") return `published, signs from ${isoTime(key.signsFromMs)}`;
	if (state === "signing")
		return publishedUntilMs === null ? "signs" : `signs, published until ${isoTime(publishedUntilMs)}`;
	if (state === "retired") return `published until ${isoTime(publishedUntilMs ?? 0)}`;
	if (state === "withdrawn") return `withdrawn ${isoTime(publishedUntilMs ?? 0)}`;
	return "proves no token any more; kept while an audit checkpoint needs it";
}
