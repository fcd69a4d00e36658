// A passkey that a sign-in began and the page where it leads creates: a page that the browser leaves loses its attempt.

import { readOfTab, writeOfTab } from "./stored.ts";

/** Where a tab keeps the options until the next page. */
export const PENDING_PASSKEY = "latchkey.passkey";

/** Once. Loads the code only if there are options. */
export function createPendingPasskey(): void {
	const pending = readOfTab(PENDING_PASSKEY);
	if (pending === null) return;
	writeOfTab(PENDING_PASSKEY, null);
	import("./sign-in/create-pending.ts")
		.then(({ createPending }) => createPending(pending))
		.catch(reportError);
}
