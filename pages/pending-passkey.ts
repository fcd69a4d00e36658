// A passkey that a sign-in began and the page where it leads creates: a page that the browser leaves loses its attempt.

import { readOfTab } from "./stored.ts";

/** Where a tab keeps the options until the next page. */
export const PENDING_PASSKEY = "latchkey.passkey";

export interface PendingPasskey {
	readonly userId: string;
	/** Of the service, which decides by them what it admits. */
	readonly options: unknown;
	readonly name: string;
	/** Before the service refuses the options, which would leave a passkey that signs no one in. */
	readonly untilMs: number;
}

export function createPendingPasskey(): void {
	if (readOfTab(PENDING_PASSKEY) === null) return;
	import("./sign-in/create-pending.ts").then(({ createPending }) => createPending()).catch(reportError);
}
