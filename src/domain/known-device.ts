// Devices that a user has signed in with.

/** A device not used for this long counts as new. */
export const DEVICE_KNOWN_DAYS = 90;

/** Recently used devices, as keyed digests. */
export interface KnownDeviceStore {
	/** Inside a transaction. @returns whether it was known; of concurrent calls for a new one, one returns false. */
	note(tenantId: string, userId: string, deviceDigest: string, nowMs: number): Promise<boolean>;
	/** Deletes expired devices, at most `limit` rows. */
	purge(nowMs: number, limit: number): Promise<number>;
}
