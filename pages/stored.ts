// Values kept in this browser. If it blocks storage, nothing is remembered and every page still works.

/** Null if nothing is stored or storage is blocked. */
export function readStored(key: string): string | null {
	return unlessBlocked(() => localStorage?.getItem(key)) ?? null;
}

/** `null` removes the value. */
export function writeStored(key: string, value: string | null): void {
	unlessBlocked(() => {
		if (value === null) localStorage?.removeItem(key);
		else localStorage?.setItem(key, value);
	});
}

/** Like `readStored`, for a value that is kept until the tab is closed. */
export function readOfTab(key: string): string | null {
	return unlessBlocked(() => sessionStorage?.getItem(key)) ?? null;
}

/** `null` removes the value. */
export function writeOfTab(key: string, value: string | null): void {
	unlessBlocked(() => {
		if (value === null) sessionStorage?.removeItem(key);
		else sessionStorage?.setItem(key, value);
	});
}

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
