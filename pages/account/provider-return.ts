// The outcome in the fragment of `/account` when the user returns from a provider.

import { signal } from "@preact/signals";

/** `linked`, or the error code of the callback; cleared by the screen that shows it. */
export const providerOutcome = signal<string | undefined>(undefined);

/** True after a return. Removes the fragment. */
export function returnedFromProvider(): boolean {
	const error = new URLSearchParams(location.hash.slice(1)).get("error");
	if (error === null && location.hash !== "#linked") return false;
	history.replaceState(history.state, "", location.pathname);
	providerOutcome.value = error ?? "linked";
	return true;
}
