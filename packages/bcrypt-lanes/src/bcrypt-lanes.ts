// Verifies several bcrypt hashes at once on one thread, each in its own lane. Only compares: a fault in it can
// refuse a right password, but a wrong one matches with a chance of 2^-184.

import { timingSafeEqual } from "node:crypto";
import { BCRYPT_KEY_MAX_BYTES, type BcryptHash } from "./bcrypt-hash.ts";
import { type BlowfishKernel, createBlowfishKernel } from "./blowfish-kernel.ts";
import { initialBlowfishState } from "./blowfish-state.ts";
import {
	KEY_BYTES,
	KEY_OFFSET,
	LANE_BYTES,
	LANES,
	SALT_BYTES,
	SALT_OFFSET,
	STAGING_LANE,
} from "./lane-layout.ts";

/** What bcrypt encrypts with the finished state. */
const PLAIN_TEXT = Buffer.from("OrpheanBeholderScryDoubt");
const STAGING = STAGING_LANE * LANE_BYTES;
/** Overwrites the key, which is no longer needed by then. */
const RESULT = STAGING + KEY_OFFSET;

interface Job {
	readonly id: number;
	readonly digest: Buffer;
	iterationsLeft: number;
}

export interface LaneResult {
	readonly id: number;
	readonly isMatch: boolean;
}

/** Keeps no secret of a finished hash: its lane is overwritten. */
export class BcryptLanes {
	readonly #kernel: BlowfishKernel = createBlowfishKernel();
	readonly #bytes: Uint8Array;
	readonly #words: Uint32Array;
	readonly #initialState = initialBlowfishState();
	/** By lane; the first ones are in use. */
	readonly #jobs: Job[] = [];

	constructor() {
		this.#bytes = new Uint8Array(this.#kernel.memory.buffer);
		this.#words = new Uint32Array(this.#kernel.memory.buffer);
	}

	get isIdle(): boolean {
		return this.#jobs.length === 0;
	}

	/** Whether every byte of the memory is zero, as it must be when idle. */
	get isWiped(): boolean {
		return this.#words.every((word) => word === 0);
	}

	/**
	 * Takes a free lane. Only the first 72 bytes of `password` count; it is not kept.
	 *
	 * @throws RangeError when all lanes are in use.
	 */
	begin(id: number, password: Uint8Array, { cost, salt, digest }: BcryptHash): void {
		const lane = this.#jobs.length;
		if (lane === LANES) throw new RangeError(`all ${LANES} lanes are in use`);
		this.#words.set(this.#initialState, STAGING / 4);
		// The password's terminating zero is part of the key, which repeats.
		const keyBytes = Math.min(password.length + 1, BCRYPT_KEY_MAX_BYTES);
		for (let index = 0; index < KEY_BYTES; index++)
			this.#setKeyByte(STAGING + KEY_OFFSET, index, password[index % keyBytes] ?? 0);
		for (let index = 0; index < SALT_BYTES; index++)
			this.#setKeyByte(STAGING + SALT_OFFSET, index, salt[index] ?? 0);
		this.#kernel.prepare();
		this.#move(STAGING_LANE, lane);
		this.#jobs.push({ id, digest, iterationsLeft: 2 ** cost });
	}

	/**
	 * Advances all hashes by at most `iterations`, fewer when one finishes earlier. Frees the lanes of finished hashes.
	 */
	advance(iterations: number): LaneResult[] {
		const count = this.#jobs.length;
		if (count === 0) return [];
		const step = Math.min(iterations, ...this.#jobs.map((job) => job.iterationsLeft));
		this.#kernel.advance[count - 1]?.(step);
		for (const job of this.#jobs) job.iterationsLeft -= step;
		const results: LaneResult[] = [];
		// Backwards: a freed lane is filled with the last one.
		for (let lane = count - 1; lane >= 0; lane--) {
			const job = this.#jobs[lane] as Job;
			if (job.iterationsLeft > 0) continue;
			results.push({ id: job.id, isMatch: this.#finish(lane, job) });
		}
		return results;
	}

	#finish(lane: number, job: Job): boolean {
		this.#move(lane, STAGING_LANE);
		for (const [index, byte] of PLAIN_TEXT.entries()) this.#setKeyByte(RESULT, index, byte);
		for (let pair = 0; pair < PLAIN_TEXT.length; pair += 8) this.#kernel.encrypt(RESULT + pair);
		const found = Buffer.from(this.#bytes.subarray(RESULT, RESULT + PLAIN_TEXT.length)).swap32();
		const isMatch = timingSafeEqual(found.subarray(0, job.digest.length), job.digest);
		found.fill(0);
		this.#bytes.fill(0, STAGING, STAGING + LANE_BYTES);
		const last = this.#jobs.pop() as Job;
		if (last === job) return isMatch;
		this.#move(this.#jobs.length, lane);
		this.#jobs[lane] = last;
		return isMatch;
	}

	/** Words are big-endian in bcrypt and little-endian in WebAssembly. */
	#setKeyByte(base: number, index: number, byte: number): void {
		this.#bytes[base + (index ^ 3)] = byte;
	}

	/** Overwrites the source with zeros. */
	#move(from: number, to: number): void {
		const start = from * LANE_BYTES;
		this.#bytes.copyWithin(to * LANE_BYTES, start, start + LANE_BYTES);
		this.#bytes.fill(0, start, start + LANE_BYTES);
	}
}
