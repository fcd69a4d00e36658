// The hash chain of an audit trail: its head, and checkpoints that replace pruned events.

/** The version of what the hash of a new event covers: names and changes too. */
export const CHAIN_VERSION = 2;

/** Sequence and hash of the newest event, stored apart from the events to detect the removal of the newest ones. */
export interface ChainHead {
	readonly sequence: number;
	readonly hash: string;
}

/**
 * Where a pruned trail starts: a signed statement that the event with this number and hash was the last removed one.
 */
export interface Checkpoint extends ChainHead {
	readonly tenantId: string;
	/** A signed statement of tenant, sequence, and hash (`checkpoint.ts`). */
	readonly statement: string;
	readonly createdAtMs: number;
}

export interface CheckpointStore {
	/** The checkpoint with the greatest sequence. */
	findNewest(tenantId: string): Promise<Checkpoint | undefined>;
	/** The newest checkpoint of every tenant that has one. */
	listNewest(): Promise<Checkpoint[]>;
	/**
	 * Inside a transaction: writes the checkpoint and removes the events up to it.
	 * @returns the number of removed events; undefined when this checkpoint already exists.
	 */
	prune(checkpoint: Checkpoint): Promise<number | undefined>;
}
