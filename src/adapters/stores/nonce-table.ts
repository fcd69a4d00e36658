// An open-addressed table of claimed nonces. It grows by pages of one size: blocks of many sizes would leave holes in the heap.

const WORDS = 3;
const PAGE_BITS = 10;
const PAGE_SLOTS = 2 ** PAGE_BITS;
/** A table is built anew when it is this full, … */
const FULL = 0.88;
/** … with room so that it is this full. */
const ROOMY = 0.8;
const LATEST_SECONDS = 0xffff_fffe;
const TWO_TO_32 = 2 ** 32;
/** In the place of a time. */
const EMPTY = 0;
const FORGOTTEN = 0xffff_ffff;

/** What a table is rebuilt from, for all tables. */
let scratch = new Uint32Array(0);

/** Each slot is three words: the time of the signature in seconds, and the two words of the digest. */
export class NonceTable {
	#pages: Uint32Array[] = [new Uint32Array(PAGE_SLOTS * WORDS)];
	#slots = PAGE_SLOTS;
	/** Slots that are not empty. */
	#used = 0;

	get bytes(): number {
		return this.#slots * WORDS * Uint32Array.BYTES_PER_ELEMENT;
	}

	has(high: number, low: number, floorSeconds: number): boolean {
		for (let slot = this.#first(low); ; slot = this.#next(slot)) {
			const page = this.#pageOf(slot);
			const at = placeOf(slot);
			if (page[at] === EMPTY) return false;
			if (page[at + 1] === high && page[at + 2] === low && isLive(page[at], floorSeconds)) return true;
		}
	}

	/**
	 * @param floorSeconds what was signed until then is dropped when there is need for room.
	 * @throws RangeError for a time that has no room: it would be taken for an old one.
	 */
	add(high: number, low: number, signedAtSeconds: number, floorSeconds: number): void {
		if (signedAtSeconds <= EMPTY || signedAtSeconds > LATEST_SECONDS)
			throw new RangeError(`signedAtSeconds must be 1 to ${LATEST_SECONDS}`);
		if (this.#used + 1 > FULL * this.#slots) this.#rebuild(floorSeconds);
		this.#put(high, low, signedAtSeconds);
	}

	/** Takes back an `add`. */
	forget(high: number, low: number, signedAtSeconds: number): void {
		for (let slot = this.#first(low); ; slot = this.#next(slot)) {
			const page = this.#pageOf(slot);
			const at = placeOf(slot);
			if (page[at] === EMPTY) return;
			// The slot stays in use: others may have been put behind it.
			if (page[at] === signedAtSeconds && page[at + 1] === high && page[at + 2] === low) page[at] = FORGOTTEN;
		}
	}

	#put(high: number, low: number, signedAtSeconds: number): void {
		let slot = this.#first(low);
		while (this.#pageOf(slot)[placeOf(slot)] !== EMPTY) slot = this.#next(slot);
		const page = this.#pageOf(slot);
		const at = placeOf(slot);
		page[at] = signedAtSeconds;
		page[at + 1] = high;
		page[at + 2] = low;
		this.#used += 1;
	}

	/** Without what is at or below the floor: memory follows the traffic of the last hour, up and down. */
	#rebuild(floorSeconds: number): void {
		const words = this.#gather(floorSeconds);
		const pages = Math.ceil((words / WORDS + 1) / ROOMY / PAGE_SLOTS);
		this.#pages.length = Math.min(pages, this.#pages.length);
		for (const page of this.#pages) page.fill(EMPTY);
		while (this.#pages.length < pages) this.#pages.push(new Uint32Array(PAGE_SLOTS * WORDS));
		this.#slots = pages * PAGE_SLOTS;
		this.#used = 0;
		for (let at = 0; at < words; at += WORDS)
			this.#put(scratch[at + 1] as number, scratch[at + 2] as number, scratch[at] as number);
	}

	/** Copies the live slots into `scratch`. @returns how many words they have. */
	#gather(floorSeconds: number): number {
		const most = this.#used * WORDS;
		if (scratch.length < most) scratch = new Uint32Array(2 * most);
		let words = 0;
		for (const page of this.#pages)
			for (let at = 0; at < page.length; at += WORDS) {
				if (!isLive(page[at], floorSeconds)) continue;
				scratch[words] = page[at] as number;
				scratch[words + 1] = page[at + 1] as number;
				scratch[words + 2] = page[at + 2] as number;
				words += WORDS;
			}
		return words;
	}

	/** Scales `low` to the slots: a division by a number that is no constant is slow. */
	#first(low: number): number {
		return ((low * this.#slots) / TWO_TO_32) | 0;
	}

	#next(slot: number): number {
		return slot + 1 === this.#slots ? 0 : slot + 1;
	}

	#pageOf(slot: number): Uint32Array {
		return this.#pages[slot >> PAGE_BITS] as Uint32Array;
	}
}

function placeOf(slot: number): number {
	return (slot & (PAGE_SLOTS - 1)) * WORDS;
}

function isLive(seconds: number | undefined, floorSeconds: number): boolean {
	return seconds !== undefined && seconds > floorSeconds && seconds !== FORGOTTEN;
}
