// The state of a signing key, derived from all stored keys and the time: next, signing, retired, gone.

import { ACCESS_TOKEN_SECONDS } from "../../../domain/session.ts";
import type { StoredSigningKey } from "../../../domain/signing-key.ts";
import { isoTime, MINUTE_MS, SECOND_MS } from "../../../kernel/clock.ts";

/** `Cache-Control` of the JWK set. */
export const JWKS_MAX_AGE_SECONDS = 300;

/** The interval at which every node reads the keys. */
export const KEYS_READ_EVERY_MS = 2 * SECOND_MS;

/**
 * From the publication of a key to its first signature. Longer than `JWKS_MAX_AGE_SECONDS` plus `KEYS_READ_EVERY_MS`,
 * and longer than the ten minutes for which common verifiers cache a set regardless of its headers.
 */
export const PUBLISHED_AHEAD_MS = 15 * MINUTE_MS;

/** The tolerated difference between the clocks of nodes and verifiers. */
const CLOCK_SLACK_MS = MINUTE_MS;

/** Lifetime of a token; its key is published slightly longer. */
const TOKEN_MS = ACCESS_TOKEN_SECONDS * SECOND_MS;

export type SigningKeyTimes = Pick<
	StoredSigningKey,
	"kid" | "createdAtMs" | "signsFromMs" | "withdrawnAtMs"
> & {
	/** Absent where the keys have one algorithm. A key is replaced by the next one of its algorithm. */
	readonly alg?: string;
};

/**
 * `next` is published and does not sign yet; `signing` signs; `retired` is published until the last token it signed has
 * expired; `gone` verifies no token. A `withdrawn` key was removed early and verifies no token either. Checkpoints of
 * the audit trail are verified with keys of every state.
 */
export type KeyState = "next" | "signing" | "retired" | "gone" | "withdrawn";

export interface KeyLife<K> {
	readonly key: K;
	readonly state: KeyState;
	/** When it stops verifying; null while there is no later key. */
	readonly publishedUntilMs: number | null;
}

/**
 * By algorithm, and sorted by `signsFromMs`, the latest first. If no key is due (the clock was set back), the earliest one
 * signs.
 */
export function livesOf<K extends SigningKeyTimes>(keys: readonly K[], nowMs: number): KeyLife<K>[] {
	return [...Map.groupBy(keys, ({ alg }) => alg).values()].flatMap((group) => livesOfOne(group, nowMs));
}

function livesOfOne<K extends SigningKeyTimes>(keys: readonly K[], nowMs: number): KeyLife<K>[] {
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

/** A key that was withdrawn before its first signature never replaced the key before it. */
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

/** The keys that verify tokens now; those that sign come first. */
export function usableKeys<K extends SigningKeyTimes>(keys: readonly K[], nowMs: number): K[] {
	const lives = livesOf(keys, nowMs);
	const inState = (state: KeyState) => lives.filter((life) => life.state === state).map(({ key }) => key);
	return [...inState("signing"), ...inState("next"), ...inState("retired")];
}

/** The next time at which `usableKeys` changes; undefined when it never does. */
export function nextChangeMs(keys: readonly SigningKeyTimes[], nowMs: number): number | undefined {
	const moments = livesOf(keys, nowMs).flatMap(({ key, publishedUntilMs }) => [
		key.signsFromMs,
		publishedUntilMs ?? 0,
	]);
	const later = moments.filter((moment) => moment > nowMs);
	return later.length === 0 ? undefined : Math.min(...later);
}

/** Describes the state of a key to the operator, and how long it lasts. */
export function describeLife({ state, key, publishedUntilMs }: KeyLife<SigningKeyTimes>): string {
	if (state === "next") return `published, signs from ${isoTime(key.signsFromMs)}`;
	if (state === "signing")
		return publishedUntilMs === null ? "signs" : `signs, published until ${isoTime(publishedUntilMs)}`;
	if (state === "retired") return `published until ${isoTime(publishedUntilMs ?? 0)}`;
	if (state === "withdrawn") return `withdrawn ${isoTime(publishedUntilMs ?? 0)}`;
	return "verifies no tokens; kept while an audit checkpoint needs it";
}
