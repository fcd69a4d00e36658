// The secret from which the keys of keyed digests are derived.

/** Associated data of the sealed derivation root. */
export function derivationRootContext(id: string): string {
	return `derivation_root:${id}`;
}

/** The one secret that keys for keyed digests are derived from. */
export interface DerivationRootStore {
	find(id: string): Promise<string | undefined>;
	/** Does nothing if one exists: of nodes that start concurrently, one writes it. */
	insertOnce(id: string, rootSealed: string, nowMs: number): Promise<void>;
}
