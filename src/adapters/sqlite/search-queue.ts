// The order of waiting searches: round robin by tenant, so that the searches of one tenant do not delay those of others.

import type { SqlValue, Statement } from "../sql/queries.ts";

/** Statements name their tenant, some of them in an expression that keeps the planner from an index. */
const TENANT = /\btenant_id\b[^=<>]{0,8}= \$(\d+)/;

/** The tenant that a statement names; `""` for a list of the installation. */
export function tenantOf({ text }: Statement, parameters: readonly SqlValue[]): string {
	const number = TENANT.exec(text)?.[1];
	return number === undefined ? "" : String(parameters[Number(number) - 1]);
}

export class SearchQueue<T> {
	readonly #limit: number;
	/** In the order of their next turns. No entry is empty. */
	readonly #ofTenants = new Map<string, T[]>();
	#size = 0;

	constructor(limit: number) {
		this.#limit = limit;
	}

	/**
	 * A full queue takes a slot from the tenant with the most for a tenant that has at least two fewer.
	 *
	 * @returns the search that lost its slot: the latest of another tenant, `search` itself, or undefined.
	 */
	add(tenantId: string, search: T): T | undefined {
		const own = this.#ofTenants.get(tenantId) ?? [];
		let displaced: T | undefined;
		if (this.#size >= this.#limit) {
			const most = [...this.#ofTenants.values()].reduce((one, other) =>
				other.length > one.length ? other : one,
			);
			if (most.length < own.length + 2) return search;
			displaced = most.pop();
			this.#size--;
		}
		own.push(search);
		this.#ofTenants.set(tenantId, own);
		this.#size++;
		return displaced;
	}

	/** The next search. Its tenant moves behind every other waiting tenant. */
	take(): T | undefined {
		for (const [tenantId, [search, ...others]] of this.#ofTenants) {
			this.#ofTenants.delete(tenantId);
			if (others.length > 0) this.#ofTenants.set(tenantId, others);
			this.#size--;
			return search;
		}
		return undefined;
	}
}
