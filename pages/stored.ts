// Values kept in this browser. If it blocks storage, nothing is remembered and every page still works.

/** `read` returns null if nothing is stored or storage is blocked; `write` of null removes the value. */
function storageOf(storage: () => Storage | null) {
	const read = (key: string): string | null => unlessBlocked(() => storage()?.getItem(key)) ?? null;
	const write = (key: string, value: string | null): void =>
		unlessBlocked(() => (value === null ? storage()?.removeItem(key) : storage()?.setItem(key, value)));
	return [read, write] as const;
}

export const [readStored, writeStored] = storageOf(() => localStorage);
/** Until the tab is closed. */
export const [readOfTab, writeOfTab] = storageOf(() => sessionStorage);

/**
 * Reading `localStorage` itself throws a `SecurityError` if site data are blocked, and writing to a full one a
 * `QuotaExceededError`. In a browser without DOM storage it is null, which its type does not say.
 */
export function unlessBlocked<Result>(access: () => Result): Result | undefined {
	try {
		return access();
	} catch (error) {
		if (error instanceof DOMException) return undefined;
		throw error;
	}
}
