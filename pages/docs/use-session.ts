// Tries the browser's session once, in the background; the reference does not wait for it.

import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { ApiError } from "../api/error.ts";
import { restoreSession, session } from "../api/session.ts";
import { showLanguageOf } from "../words/language.ts";
import { changeLanguage } from "../words/words.ts";

let isTried = false;
const failure = signal<ApiError | undefined>(undefined);

interface SessionTry {
	/** The session stays unknown. */
	readonly error: ApiError | undefined;
	tryAgain(): void;
}

export function useSession(): SessionTry {
	useEffect(() => {
		if (isTried) return;
		isTried = true;
		trySession().catch(reportError);
	}, []);
	return {
		error: session.value.state === "unknown" ? failure.value : undefined,
		tryAgain() {
			trySession().catch(reportError);
		},
	};
}

async function trySession(): Promise<void> {
	failure.value = undefined;
	try {
		const { user } = await restoreSession();
		const preferred = showLanguageOf(user?.locale);
		if (preferred !== undefined) await changeLanguage(preferred);
	} catch (error) {
		if (!(error instanceof ApiError)) throw error;
		failure.value = error;
	}
}
