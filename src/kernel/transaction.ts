// How a use case reaches its stores: reading at rest, or inside one transaction.

/**
 * The stores a use case needs, `S`, twice: in `stores` every call stands alone (a read of what is committed,
 * or one statement that commits by itself); `transaction` gives the same stores bound to one open transaction.
 *
 * The transaction commits when `work` resolves and is undone when it rejects; the promise settles after the
 * commit is durable. `work` must await nothing but these stores (no hashing, no network): on the embedded
 * database one writer serves everybody.
 *
 * @throws AppError `service.unavailable` when the database is away or full: nothing was written.
 */
export interface Persistence<S> {
	readonly stores: S;
	transaction<T>(work: (stores: S) => Promise<T>): Promise<T>;
}

/** Thrown by a store when a unique index refused an UPDATE; `constraint` is the engine's text for it. */
export class UniqueViolation extends Error {
	readonly constraint: string;

	constructor(constraint: string, options?: ErrorOptions) {
		super(`unique constraint violated: ${constraint}`, options);
		this.name = "UniqueViolation";
		this.constraint = constraint;
	}
}
