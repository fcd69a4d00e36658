// The text of a sign-in error: a text written for users if there is one, otherwise the API's.

import { useEffect, useMemo, useState } from "preact/hooks";
import type { ApiError } from "../api/error.ts";
import type { FormError } from "../ui/form.tsx";
import { findWords, loadWords } from "../words/words.ts";

type Texts = Readonly<Record<string, string>>;

/** Errors about a new password; each form has a different field name. */
export const NEW_PASSWORD_CODES = [
	"password.too_short",
	"password.too_long",
	"password.too_common",
	"password.breached",
	"password.same_as_name",
] as const;

const NO_TEXTS: Texts = {};

/**
 * The error with its text as a sentence, translated if the words have the code; the words are loaded with the
 * first error. `fields` maps error codes to fields.
 */
export function useShownError(error: ApiError | undefined, fields: Texts = {}): FormError | undefined {
	const texts = useErrorTexts(error !== undefined);
	return useMemo(() => {
		if (error === undefined || texts === undefined) return undefined;
		const { code, retryAfterSeconds, apiText } = error;
		const message = texts[code] ?? asSentence(error.message);
		const field = fields[code];
		const details = field === undefined ? error.details : [{ field, message }];
		return { code, details, retryAfterSeconds, message, apiText };
	}, [error, texts]);
}

/** Undefined while loading; empty if loading fails, so that the API's text is shown. */
function useErrorTexts(isNeeded: boolean): Texts | undefined {
	const texts = findWords("sign-in-steps")?.errors;
	const [isFailed, setFailed] = useState(false);
	useEffect(() => {
		if (isNeeded) loadWords(["sign-in-steps"]).catch(() => setFailed(true));
	}, [isNeeded]);
	return texts ?? (isFailed ? NO_TEXTS : undefined);
}

function asSentence(text: string): string {
	const [first = "", ...rest] = text;
	return `${first.toUpperCase()}${rest.join("")}${/[.!?。！？]$/.test(text) ? "" : "."}`;
}
