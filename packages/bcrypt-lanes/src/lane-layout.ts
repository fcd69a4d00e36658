// The memory layout of the bcrypt lanes.

/** Hashes that advance together: 2.6 times the throughput of one on an idle machine. Three reach 2.2, six 2.5. */
export const LANES = 4;
/** The lane after the others, in which a hash is prepared and finished. */
export const STAGING_LANE = LANES;

export const SUBKEYS = 18;
export const SUBKEY_BYTES = SUBKEYS * 4;
export const BOX_BYTES = 256 * 4;
/** Subkeys, then S-boxes: the order in which the key schedule replaces them. */
export const STATE_BYTES = SUBKEY_BYTES + 4 * BOX_BYTES;
/** The key, repeated to the length of the subkeys. */
export const KEY_OFFSET = STATE_BYTES;
export const KEY_BYTES = SUBKEY_BYTES;
export const SALT_OFFSET = KEY_OFFSET + KEY_BYTES;
export const SALT_BYTES = 16;
/** State, key, and salt, rounded up to a multiple of a cache line of 64 bytes. */
export const LANE_BYTES = 4288;
