// The signing keys as a running node has them: read again by time, and when somebody names one it does not know.

import type { KeySource } from "../crypto/access-token.ts";
import type { SecretBox } from "../crypto/secret-box.ts";
import type { SigningKey } from "../crypto/signing-key.ts";
import type { SigningKeyStore } from "../features/auth/model.ts";
import { KEYS_READ_EVERY_MS, nextChangeMs, usableKeys } from "../features/auth/signing-key-life.ts";
import { type Clock, SECOND_MS } from "../kernel/clock.ts";
import type { Log } from "../kernel/log.ts";
import { type OpenedSigningKey, openSigningKey, openSigningKeys } from "./signing-keys.ts";

export interface KeyRingOptions {
	readonly store: Pick<SigningKeyStore, "listAll">;
	readonly secretBox: SecretBox;
	readonly clock: Clock;
	readonly log: Log;
}

export interface KeyRing extends KeySource {
	/** Reads now. @throws AppError `service.unavailable` when the database is away: what was known stays. */
	read(): Promise<void>;
	start(): void;
	/** Resolves when nothing is being read any more. */
	stop(): Promise<void>;
}

/** The RFC 7638 thumbprint all our keys are named by; nothing else is worth a look at the database. */
const KID = /^[A-Za-z0-9_-]{43}$/;
/** Unknown key ids, however many are thrown at us, cause at most four readings a second. */
const SEEK_EVERY_MS = 250;
/** Nothing is signed with keys read longer ago: a node that slept does not go on with a key that retired meanwhile. */
const STALE_MS = 30 * SECOND_MS;

/** @throws StartError when the master key opens one of the keys not. */
export async function createKeyRing(options: KeyRingOptions): Promise<KeyRing> {
	const { store, secretBox, clock, log } = options;
	let keys: readonly OpenedSigningKey[] = await openSigningKeys(store, secretBox);
	let readAtMs = clock();
	let usable: { readonly keys: readonly SigningKey[]; readonly fromMs: number; readonly untilMs: number };
	let seeking: Promise<void> | undefined;
	let soughtAtMs = Number.NEGATIVE_INFINITY;
	let regular: Promise<void> | undefined;
	let timer: NodeJS.Timeout | undefined;
	let failing = false;

	const work = (): void => {
		const now = clock();
		const untilMs = nextChangeMs(keys, now) ?? Number.POSITIVE_INFINITY;
		usable = { keys: usableKeys(keys, now), fromMs: now, untilMs };
	};

	async function read(): Promise<void> {
		const now = clock();
		const stored = await store.listAll();
		const known = new Map(keys.map((key) => [key.kid, key]));
		const opened: OpenedSigningKey[] = [];
		for (const row of stored) {
			// The same objects while nothing changed: what was made ready of them stays ready. The key itself never does.
			const before = known.get(row.kid);
			if (before === undefined) opened.push(...openOrTell(row));
			else if (isSame(before, row)) opened.push(before);
			else opened.push({ ...before, signsFromMs: row.signsFromMs, withdrawnAtMs: row.withdrawnAtMs });
		}
		keys = opened;
		readAtMs = now;
		work();
	}

	function openOrTell(row: Parameters<typeof openSigningKey>[0]): OpenedSigningKey[] {
		try {
			return [openSigningKey(row, secretBox)];
		} catch (error) {
			log.error({ kid: row.kid, err: error }, "signing key cannot be opened: its tokens are refused here");
			return [];
		}
	}

	/** One line when it begins to fail, one when it works again. */
	async function readRegularly(): Promise<void> {
		try {
			await read();
			if (failing) log.info({}, "signing keys are read again");
			failing = false;
		} catch (error) {
			if (!failing) log.warn({ err: error }, "signing keys cannot be read again, the known ones stay");
			failing = true;
		}
	}

	/** A reading that begins after this call: one under way may be too old to know the key. */
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

	work();
	return {
		read,
		current() {
			const now = clock();
			if (now < usable.fromMs || now >= usable.untilMs) work();
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
	known: OpenedSigningKey,
	row: { readonly signsFromMs: number; readonly withdrawnAtMs: number | null },
): boolean {
	return known.signsFromMs === row.signsFromMs && known.withdrawnAtMs === row.withdrawnAtMs;
}
