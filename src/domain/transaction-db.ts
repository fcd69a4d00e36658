// A database within a transaction, over which the rows of the map can be created.

import type { Db, Stores } from "./stores.ts";

/** A database whose calls go to the stores of one transaction at a time, so that its endpoints are created once. */
export class TransactionDb implements Db {
	readonly stores: Stores;
	#current: Stores | undefined;

	constructor() {
		const ofStore = (name: keyof Stores): object =>
			new Proxy(
				{},
				{
					get: (_, member) => {
						const store = this.#open()[name] as unknown as Record<PropertyKey, unknown>;
						const value = store[member];
						return typeof value === "function" ? value.bind(store) : value;
					},
				},
			);
		this.stores = new Proxy({} as Stores, { get: (_, name) => ofStore(name as keyof Stores) });
	}

	transaction<T>(work: (stores: Stores) => Promise<T>): Promise<T> {
		return work(this.#open());
	}

	/** Runs `work` over the stores of an open transaction. */
	async within<T>(stores: Stores, work: () => Promise<T>): Promise<T> {
		this.#current = stores;
		try {
			return await work();
		} finally {
			this.#current = undefined;
		}
	}

	#open(): Stores {
		if (this.#current === undefined) throw new Error("no transaction is open");
		return this.#current;
	}
}
