// The claimed nonces of an embedded database in memory, 12 bytes each and a fifth of room.

import { NonceTable } from "./nonce-table.ts";

/** A power of two. More tables make the pause shorter in which one of them grows: under 1 ms at four million nonces. */
const TABLES = 128;

/**
 * Known by a digest of 64 bits, which must be keyed: nobody can look for two nonces with the same one, and that one of four
 * million has it by chance happens once in 10^12 claims. The later one is refused then, never accepted.
 */
export class ClaimedNonces {
	readonly #tables: readonly NonceTable[] = Array.from({ length: TABLES }, () => new NonceTable());
	#floorSeconds = 0;

	/** Of all tables. */
	get bytes(): number {
		return this.#tables.reduce((sum, { bytes }) => sum + bytes, 0);
	}

	/**
	 * What was signed at or before the floor is dropped when there is need for room. Only for a floor that is committed: what
	 * is dropped is gone.
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

	/** Takes back an `add` that was not committed. */
	forget(digest: string, signedAtSeconds: number): void {
		const high = wordAt(digest, 0);
		this.#tableOf(high).forget(high, wordAt(digest, 4), signedAtSeconds);
	}

	#tableOf(high: number): NonceTable {
		return this.#tables[high & (TABLES - 1)] as NonceTable;
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
