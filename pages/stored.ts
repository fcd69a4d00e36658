// Values kept in this browser. If it blocks storage, nothing is remembered and every page still works.

/** Null if nothing is stored or storage is blocked. */
export function readStored(key: string): string | null {
	return (
		unlessBlocked(
			() => localStorage,
			(storage) => storage.getItem(key),
		) ?? null
	);
}

/** `null` removes the value. */
export function writeStored(key: string, value: string | null): void {
	unlessBlocked(
		() => localStorage,
		(storage) => (value === null ? storage.removeItem(key) : storage.setItem(key, value)),
	);
}

/** Like `readStored`, for a value that is kept until the tab is closed. */
export function readOfTab(key: string): string | null {
	return (
		unlessBlocked(
			() => sessionStorage,
			(storage) => storage.getItem(key),
		) ?? null
	);
}

export function writeOfTab(key: string, value: string): void {
	unlessBlocked(
		() => sessionStorage,
		(storage) => storage.setItem(key, value),
	);
}

/**
 * Reading `localStorage` itself throws a `SecurityError` if site data are blocked, and is null in a browser without DOM
 * storage; writing to a full one throws a `QuotaExceededError`.
 */
function unlessBlocked<Result>(
	find: () => Storage | null,
	access: (storage: Storage) => Result,
): Result | undefined {
	try {
		const storage = find();
		return storage === null ? undefined : access(storage);
	} catch (error) {
		if (error instanceof DOMException) return undefined;
		throw error;
	}
}
