// The text of a refused sign-in: the API's own, or that of the words where a person needs another one.

import { useEffect, useMemo, useState } from "preact/hooks";
import type { ApiError } from "../api/error.ts";
import type { FormError } from "../ui/form.tsx";
import { findWords, loadWords } from "../words/words.ts";

type Texts = Readonly<Record<string, string>>;

/** Refusals of a new password; the field is another one in each form. */
export const NEW_PASSWORD_CODES = [
	"password.too_short",
	"password.too_long",
	"password.too_common",
	"password.breached",
	"password.same_as_name",
] as const;

const NO_TEXTS: Texts = {};

/**
 * The error with its text as a sentence, in the chosen language where the words have the code; they are loaded with the
 * first error. `fields` names the field that an error of a code is about.
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

/** Undefined while they are loaded; empty, so that the API's own text is shown, where they cannot be. */
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
