// The signing keys of a running node: read again at intervals, and when a token names an unknown key.

import type { KeySource } from "../crypto/access-token.ts";
import type { SigningKey } from "../crypto/signing-key.ts";
import type { KeyLifeStore, StoredKey } from "../domain/signing-key.ts";
import {
	KEYS_READ_EVERY_MS,
	nextChangeMs,
	type SigningKeyTimes,
	usableKeys,
} from "../features/identity/auth/signing-key-life.ts";
import type { Needs } from "../features/platform.ts";
import { type Clock, SECOND_MS } from "../kernel/clock.ts";
import type { Log } from "../kernel/log.ts";
import { openIdTokenKey, openSigningKey } from "./stored-keys.ts";

interface KeyRingOptions<Row extends StoredKey, K> {
	readonly store: Pick<KeyLifeStore<Row>, "listAll">;
	/** @throws StartError when the master key does not open it. */
	readonly open: (row: Row) => K & SigningKeyTimes;
	readonly clock: Clock;
	readonly log: Log;
}

export interface KeyRing<K = SigningKey> extends KeySource<K> {
	/** Reads now. @throws AppError `service.unavailable` if the database is unavailable; the known keys stay in use. */
	read(): Promise<void>;
	start(): void;
	/** Resolves when no read is in progress. */
	stop(): Promise<void>;
}

/** An RFC 7638 thumbprint, as every key id is; other ids cause no read. */
const KID = /^[A-Za-z0-9_-]{43}$/;
/** Any number of unknown key ids causes at most four reads a second. */
const SEEK_EVERY_MS = 250;
/** Keys read longer ago do not sign: a node that was suspended must not use a key that was retired in the meantime. */
const STALE_MS = 30 * SECOND_MS;

/**
 * The keys of access tokens, and those that sign ID tokens alone.
 *
 * @throws StartError when the master key does not open one of the keys.
 */
export async function openKeyRings({
	db,
	secretBox,
	...parts
}: Needs<"signingKeys" | "idTokenKeys", "secretBox" | "clock" | "log">) {
	const { signingKeys, idTokenKeys } = db.stores;
	const keyRing = createKeyRing({
		...parts,
		store: signingKeys,
		open: (row) => openSigningKey(row, secretBox),
	});
	const idTokenKeyRing = createKeyRing({
		...parts,
		store: idTokenKeys,
		open: (row) => openIdTokenKey(row, secretBox),
	});
	return { keyRing: await keyRing, idTokenKeyRing: await idTokenKeyRing };
}

/** @throws StartError when the master key does not open one of the keys. */
export async function createKeyRing<Row extends StoredKey, K>(
	options: KeyRingOptions<Row, K>,
): Promise<KeyRing<K>> {
	type Opened = K & SigningKeyTimes;
	const { store, open, clock, log } = options;
	let keys: readonly Opened[] = (await store.listAll()).map(open);
	let readAtMs = clock();
	let usable: { readonly keys: readonly Opened[]; readonly fromMs: number; readonly untilMs: number };
	let seeking: Promise<void> | undefined;
	let soughtAtMs = Number.NEGATIVE_INFINITY;
	let regular: Promise<void> | undefined;
	let timer: NodeJS.Timeout | undefined;
	let failing = false;

	const select = (): void => {
		const now = clock();
		const untilMs = nextChangeMs(keys, now) ?? Number.POSITIVE_INFINITY;
		usable = { keys: usableKeys(keys, now), fromMs: now, untilMs };
	};

	async function read(): Promise<void> {
		const now = clock();
		const stored = await store.listAll();
		const known = new Map(keys.map((key) => [key.kid, key]));
		const opened: Opened[] = [];
		for (const row of stored) {
			// Keep the same object for an unchanged key: callers cache by it. The key material of an id never changes.
			const before = known.get(row.kid);
			if (before === undefined) opened.push(...openOrLog(row));
			else if (isSame(before, row)) opened.push(before);
			else opened.push({ ...before, signsFromMs: row.signsFromMs, withdrawnAtMs: row.withdrawnAtMs });
		}
		readAtMs = now;
		// Keep the same list, too: the OpenID provider is created again when it changes.
		if (opened.length === keys.length && opened.every((key, index) => key === keys[index])) return;
		keys = opened;
		select();
	}

	function openOrLog(row: Row): Opened[] {
		try {
			return [open(row)];
		} catch (error) {
			log.error({ kid: row.kid, err: error }, "signing key cannot be opened: its tokens are refused here");
			return [];
		}
	}

	/** Logs one line at the first failure, and one when reads succeed again. */
	async function readRegularly(): Promise<void> {
		try {
			await read();
			if (failing) log.info({}, "signing keys can be reloaded again");
			failing = false;
		} catch (error) {
			if (!failing) log.warn({ err: error }, "signing keys cannot be reloaded, the current ones stay in use");
			failing = true;
		}
	}

	/** Starts a read after this call: one already under way may have missed the key. */
	function readSoon(): Promise<void> {
		seeking ??= (async () => {
			const waitMs = Math.max(0, soughtAtMs + SEEK_EVERY_MS - performance.now());
			if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
			else await Promise.resolve();
			soughtAtMs = performance.now();
			seeking = undefined;
			await read();
		})();
		return seeking;
	}

	select();
	return {
		read,
		current() {
			const now = clock();
			if (now < usable.fromMs || now >= usable.untilMs) select();
			return usable.keys;
		},
		freshen: () => (Math.abs(clock() - readAtMs) < STALE_MS ? undefined : read()),
		seek: async (kid) => {
			if (KID.test(kid)) await readSoon();
		},
		start() {
			timer = setInterval(() => {
				regular ??= readRegularly().finally(() => {
					regular = undefined;
				});
			}, KEYS_READ_EVERY_MS).unref();
		},
		async stop() {
			clearInterval(timer);
			await Promise.allSettled([regular, seeking]);
		},
	};
}

function isSame(
	known: SigningKeyTimes,
	row: { readonly signsFromMs: number; readonly withdrawnAtMs: number | null },
): boolean {
	return known.signsFromMs === row.signsFromMs && known.withdrawnAtMs === row.withdrawnAtMs;
}
