// Responds to the calls to issuers that a plan or a change makes in its transaction.

import type { ProviderConnection, ProviderGateway } from "../../../domain/provider-gateway.ts";

/** Calls an issuer outside of a transaction, which may only await stores. */
export class RememberedGateway {
	readonly #gateway: ProviderGateway;
	readonly #known = new Map<string, Promise<string | null>>();
	#missing: (() => void)[] = [];

	constructor(gateway: ProviderGateway) {
		this.#gateway = gateway;
	}

	checkIssuer(connection: Pick<ProviderConnection, "kind" | "issuer">): Promise<string | null> {
		const key = JSON.stringify([connection.kind, connection.issuer]);
		const known = this.#known.get(key);
		if (known !== undefined) return known;
		this.#missing.push(() => {
			const called = this.#gateway.checkIssuer(connection);
			// Awaited by what runs again.
			called.catch((error: unknown) => error);
			this.#known.set(key, called);
		});
		return Promise.resolve(connection.issuer);
	}

	/** Whether a response was assumed, so that the transaction must not commit. */
	get isMissing(): boolean {
		return this.#missing.length > 0;
	}

	/** Makes the calls that were missing. @returns whether there were any */
	async call(): Promise<boolean> {
		const missing = this.#missing;
		this.#missing = [];
		for (const call of missing) call();
		await Promise.allSettled(this.#known.values());
		return missing.length > 0;
	}
}
