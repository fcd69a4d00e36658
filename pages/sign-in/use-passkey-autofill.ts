// Offers passkeys in the autofill of the username field as soon as the page opens.

import { useEffect, useRef } from "preact/hooks";
import { ApiError } from "../api/error.ts";
import { askPasskey, hasPasskeyAutofill } from "./passkey.ts";
import { visitorCall } from "./visitor-call.ts";

/** The API's challenge is valid for five minutes. */
const RENEWED_MS = 4.5 * 60_000;

/**
 * Calls `onAssertion` when a passkey is chosen. Call `stop()` before a dialog asks for a passkey, because a
 * browser allows one such request at a time.
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
			// Without autofill, the button and the password still work; the next action reports a failing service.
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

/** Hidden tabs send no requests. */
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
