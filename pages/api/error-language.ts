// Translates API errors. The API returns English; the error keeps the original text.

import { language } from "../words/language.ts";
import { findWords, loadWords } from "../words/words.ts";
import { ApiError } from "./error.ts";

/** Handled by the session, never shown. */
const TOKEN_CODE = /^(?:refresh_)?token\./;

/** Loads the words with the first error. If loading fails, the API's text is shown. */
export async function inReadersLanguage(error: ApiError): Promise<ApiError> {
	if (language.value === "en" || TOKEN_CODE.test(error.code)) return error;
	await loadWords(["api-errors"]).catch(reportError);
	const words = findWords("api-errors");
	if (words === undefined) return error;
	const details = error.details.map((detail) => ({ ...detail, message: words.fieldTextOf(detail) }));
	const text = words.textOf(error.code);
	return new ApiError(error.status, error.code, text ?? error.message, {
		...error,
		details,
		apiText: text === undefined ? undefined : error.message,
	});
}
