// The claimed nonces of an embedded database in memory: 12 bytes each, plus about a fifth of free space.

/** A power of two. More tables shorten the pause while one of them grows: under 1 ms at four million nonces. */
const TABLES = 128;
const WORDS = 3;
const PAGE_BITS = 10;
const PAGE_SLOTS = 2 ** PAGE_BITS;
/** The fill level at which a table is rebuilt. */
const FULL = 0.88;
/** The fill level after a rebuild. */
const ROOMY = 0.8;
const LATEST_SECONDS = 0xffff_fffe;
const TWO_TO_32 = 2 ** 32;
/** Used in place of a time. */
const EMPTY = 0;
const FORGOTTEN = 0xffff_ffff;

/** The entries of a table during a rebuild; shared by all tables. */
let scratch = new Uint32Array(0);

/**
 * Identifies each nonce by a 64-bit digest, which must be keyed so that an attacker cannot search for collisions. Among four
 * million nonces, one claim in 10^12 collides with another one; it is then refused, never accepted twice.
 */
export class ClaimedNonces {
	readonly #tables: readonly NonceTable[] = Array.from({ length: TABLES }, () => new NonceTable());
	#floorSeconds = 0;

	/**
	 * Drops nonces signed at or before the floor when a table needs space. Pass a committed floor only: dropped nonces are not
	 * read again.
	 */
	raiseFloor(seconds: number): void {
		this.#floorSeconds = Math.max(this.#floorSeconds, seconds);
	}

	/** @param digest at least 8 characters of one byte each. */
	has(digest: string, floorSeconds: number): boolean {
		const high = wordAt(digest, 0);
		return this.#tableOf(high).has(high, wordAt(digest, 4), floorSeconds);
	}

	/** @throws RangeError for a time that does not fit into 32 bits. */
	add(digest: string, signedAtSeconds: number): void {
		const high = wordAt(digest, 0);
		this.#tableOf(high).add(high, wordAt(digest, 4), signedAtSeconds, this.#floorSeconds);
	}

	/** Reverts an `add` that was not committed. */
	forget(digest: string, signedAtSeconds: number): void {
		const high = wordAt(digest, 0);
		this.#tableOf(high).forget(high, wordAt(digest, 4), signedAtSeconds);
	}

	#tableOf(high: number): NonceTable {
		return this.#tables[high & (TABLES - 1)] as NonceTable;
	}
}

/**
 * An open-addressed table. It grows in pages of one size, because blocks of many sizes would fragment the heap. Each slot has
 * three words: the time of the signature in seconds, and the two words of the digest.
 */
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
	 * @param floorSeconds nonces signed at or before this time are dropped when the table needs space.
	 * @throws RangeError for a time that does not fit, which could be mistaken for an old one.
	 */
	add(high: number, low: number, signedAtSeconds: number, floorSeconds: number): void {
		if (signedAtSeconds <= EMPTY || signedAtSeconds > LATEST_SECONDS)
			throw new RangeError(`signedAtSeconds must be 1 to ${LATEST_SECONDS}`);
		if (this.#used + 1 > FULL * this.#slots) this.#rebuild(floorSeconds);
		this.#put(high, low, signedAtSeconds);
	}

	/** Reverts an `add`. */
	forget(high: number, low: number, signedAtSeconds: number): void {
		for (let slot = this.#first(low); ; slot = this.#next(slot)) {
			const page = this.#pageOf(slot);
			const at = placeOf(slot);
			if (page[at] === EMPTY) return;
			// Keep the slot in use: later entries may have been stored behind it.
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

	/** Omits nonces at or below the floor, so that memory grows and shrinks with the traffic of the last hour. */
	#rebuild(floorSeconds: number): void {
		const words = this.#gather(floorSeconds);
		const pages = Math.ceil((words / WORDS + 1) / ROOMY / PAGE_SLOTS);
		this.#pages.length = Math.min(pages, this.#pages.length);
		for (const page of this.#pages) page.fill(EMPTY);
		while (this.#pages.length < pages) this.#pages.push(new Uint32Array(PAGE_SLOTS * WORDS));
		this.#slots = pages * PAGE_SLOTS;
		this.#used = 0;
		for (let at = 0; at < words; at += WORDS)
			this.#put(scratch[at + 1] ?? 0, scratch[at + 2] ?? 0, scratch[at] ?? EMPTY);
	}

	/** Copies the live slots into `scratch`. @returns the number of their words. */
	#gather(floorSeconds: number): number {
		const most = this.#used * WORDS;
		if (scratch.length < most) scratch = new Uint32Array(2 * most);
		let words = 0;
		for (const page of this.#pages)
			for (let at = 0; at < page.length; at += WORDS) {
				if (!isLive(page[at], floorSeconds)) continue;
				scratch[words] = page[at] ?? EMPTY;
				scratch[words + 1] = page[at + 1] ?? 0;
				scratch[words + 2] = page[at + 2] ?? 0;
				words += WORDS;
			}
		return words;
	}

	/** Scales `low` to the slots; a division by a non-constant would be slow. */
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

function wordAt(digest: string, at: number): number {
	const word =
		digest.charCodeAt(at) |
		(digest.charCodeAt(at + 1) << 8) |
		(digest.charCodeAt(at + 2) << 16) |
		(digest.charCodeAt(at + 3) << 24);
	return word >>> 0;
}

function placeOf(slot: number): number {
	return (slot & (PAGE_SLOTS - 1)) * WORDS;
}

function isLive(seconds: number | undefined, floorSeconds: number): boolean {
	return seconds !== undefined && seconds > floorSeconds && seconds !== FORGOTTEN;
}
