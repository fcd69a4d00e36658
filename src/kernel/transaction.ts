// How a use case accesses its stores: outside or inside one transaction.

/**
 * Two views of the stores `S`. In `stores`, each call is independent (a read of committed data, or one statement that
 * commits itself); `transaction` passes the same stores bound to one open transaction.
 *
 * The transaction commits when `work` resolves and rolls back when it rejects; the promise settles after the commit is
 * durable. `work` must await only these stores (no hashing, no network): the embedded database has a single writer.
 *
 * @throws AppError `service.unavailable` when the database is unreachable or full: nothing was written.
 */
export interface Persistence<S> {
	readonly stores: S;
	transaction<T>(work: (stores: S) => Promise<T>): Promise<T>;
}

/** Thrown by a store when a unique index refuses a write; `constraint` is the engine's name for it. */
export class UniqueViolation extends Error {
	readonly constraint: string;

	constructor(constraint: string, options?: ErrorOptions) {
		super(`unique constraint violated: ${constraint}`, options);
		this.name = "UniqueViolation";
		this.constraint = constraint;
	}
}
