// Offers passkeys among the suggestions of the username field, from the first moment on.

import { useEffect, useRef } from "preact/hooks";
import { ApiError } from "../api/error.ts";
import { askPasskey, hasPasskeyAutofill } from "./passkey.ts";
import { visitorCall } from "./visitor-call.ts";

/** The challenge of the API lives five minutes. */
const RENEWED_MS = 4.5 * 60_000;

/**
 * Calls `onAssertion` when a passkey is chosen. `stop()` of the result ends it, before a dialog asks for a passkey: a
 * browser has one such request at a time.
 */
export function usePasskeyAutofill(
	onAssertion: (assertion: Record<string, unknown>) => void,
	isOffered: boolean,
): {
	stop(): void;
} {
	const current = useRef(onAssertion);
	current.current = onAssertion;
	const abort = useRef(new AbortController());
	useEffect(() => {
		if (!isOffered) return;
		const { signal } = abort.current;
		offer(signal, (assertion) => current.current(assertion)).catch((error: unknown) => {
			// Without suggestions the button and the password remain, and a failing service shows at the next action.
			if (!signal.aborted && !(error instanceof ApiError)) reportError(error);
		});
		return () => abort.current.abort();
	}, []);
	return { stop: () => abort.current.abort() };
}

async function offer(stopped: AbortSignal, onAssertion: (assertion: Record<string, unknown>) => void) {
	if (!(await hasPasskeyAutofill())) return;
	while (!stopped.aborted) {
		const { data } = await visitorCall("POST /auth/passkey/start");
		const expired = AbortSignal.timeout(RENEWED_MS);
		try {
			const signal = AbortSignal.any([stopped, expired]);
			return onAssertion(await askPasskey(data.options, { signal, isAutofill: true }));
		} catch (error) {
			if (!expired.aborted) throw error;
			await visible(stopped);
		}
	}
}

/** A hidden tab asks for nothing. */
function visible(stopped: AbortSignal): Promise<void> {
	return new Promise((resolve) => {
		const check = () => {
			if (document.hidden && !stopped.aborted) return;
			document.removeEventListener("visibilitychange", check);
			resolve();
		};
		document.addEventListener("visibilitychange", check);
		stopped.addEventListener("abort", check, { once: true });
		check();
	});
}
