// Shows the dialog that asks the user to sign in again, on top of any document.

import { effect } from "@preact/signals";
import { render } from "preact";
import { setTenant } from "../api/request.ts";
import { isSignInDue, session } from "../api/session.ts";
import { loadWords } from "../words/words.ts";
import { SessionEndedDialog } from "./session-ended-dialog.tsx";

let place: HTMLElement | undefined;

/** Stays open until the sign-in succeeds, here or in another tab, or is declined. */
export async function showDialog(): Promise<void> {
	if (place !== undefined) return;
	place = document.createElement("div");
	await loadWords(["sign-in"]);
	setTenant(session.value.user?.tenant_id);
	document.body.append(place);
	render(<SessionEndedDialog />, place);
	const stop = effect(() => {
		if (isSignInDue.value) return;
		queueMicrotask(() => {
			stop();
			if (place === undefined) return;
			render(null, place);
			place.remove();
			place = undefined;
		});
	});
}
